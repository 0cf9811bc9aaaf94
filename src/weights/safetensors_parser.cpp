// The states of reading a safetensors header, and what is expected in each.
#include "weights/safetensors_parser.h"

#include <limits>
#include <utility>

#include "base/error.h"
#include "weights/safetensors_fault.h"

namespace ilt {
namespace {

constexpr std::size_t max_rank = 64;  // of no use beyond; keeps a hostile shape from taking memory
constexpr auto max_dim = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

}  // namespace

std::string SafetensorsParser::place_name() const {
  switch (place_) {
    case Place::outside:
      return "the header";
    case Place::header:
      return key_ == "__metadata__" ? key_ : fmt::format("tensor {}", shown_name(key_));
    case Place::metadata:
      return fmt::format("__metadata__ {}", shown_name(field_));
    default:
      return fmt::format("tensor {}: {}", shown_name(key_), field_);
  }
}

std::string SafetensorsParser::expected() const {
  switch (place_) {
    case Place::outside:
    case Place::header:
      return "a JSON object";
    case Place::metadata:
      return "a string";
    case Place::entry:
      return field_ == "dtype" ? "a string" : "an array of whole numbers";
    default:
      return "whole numbers from 0";
  }
}

bool SafetensorsParser::refuse(const std::string& found) const {
  fail_safetensors(path_, {place_name(), found, expected(), SafetensorsFault{}.advice, key_});
}

bool SafetensorsParser::number_unsigned(number_unsigned_t value) {
  if (place_ == Place::shape) {
    if (value > max_dim) refuse(fmt::format("the size {}", value));
    if (shape_->size() == max_rank) refuse(fmt::format("more than {} dimensions", max_rank));
    shape_->push_back(static_cast<std::int64_t>(value));
  } else if (place_ == Place::offsets) {
    if (offsets_->size() == 2) refuse("more than two numbers");
    offsets_->push_back(value);
  } else {
    refuse("a number");
  }
  return true;
}

bool SafetensorsParser::string(string_t& value) {
  if (place_ == Place::metadata) {
    metadata_[field_] = std::move(value);
  } else if (place_ == Place::entry && field_ == "dtype") {
    try {
      dtype_ = parse_dtype(value);
    } catch (const Error& e) {
      throw Error(e.status(), fmt::format("{}: {}: {}", path_.string(), place_name(), e.what()),
                  {{"file", path_.string()}, {"tensor", key_}, {"got", value}});
    }
  } else {
    refuse("a string");
  }
  return true;
}

bool SafetensorsParser::start_object(std::size_t) {
  if (place_ == Place::outside) {
    place_ = Place::header;
  } else if (place_ == Place::header) {
    place_ = key_ == "__metadata__" ? Place::metadata : Place::entry;
    dtype_.reset(), shape_.reset(), offsets_.reset();
  } else {
    refuse("an object");
  }
  return true;
}

bool SafetensorsParser::key(string_t& value) {
  bool is_new = true;
  if (place_ == Place::header) {
    is_new = names_.insert(value).second;
    key_ = std::move(value);
  } else if (place_ == Place::metadata) {
    is_new = !metadata_.contains(value);
    field_ = std::move(value);
  } else {
    field_ = std::move(value);
    if (field_ == "dtype") {
      is_new = !dtype_;
    } else if (field_ == "shape") {
      is_new = !shape_;
    } else if (field_ == "data_offsets") {
      is_new = !offsets_;
    } else {
      fail_safetensors(path_,
                       {fmt::format("tensor {}", shown_name(key_)), fmt::format("the key {}", shown_name(field_)),
                        "the keys dtype, shape and data_offsets", SafetensorsFault{}.advice, key_});
    }
  }
  if (!is_new)
    fail_safetensors(path_, {place_name(), "this name twice", "each name once", SafetensorsFault{}.advice, key_});
  return true;
}

bool SafetensorsParser::end_object() {
  if (place_ == Place::entry) finish_entry();
  place_ = place_ == Place::header ? Place::outside : Place::header;
  return true;
}

void SafetensorsParser::finish_entry() {
  const char* const missing = !dtype_ ? "dtype" : !shape_ ? "shape" : !offsets_ ? "data_offsets" : nullptr;
  if (missing != nullptr)
    fail_safetensors(path_, {fmt::format("tensor {}", shown_name(key_)), fmt::format("no {}", missing),
                             "the keys dtype, shape and data_offsets", SafetensorsFault{}.advice, key_});
  entries_.push_back({key_, {*dtype_, std::move(*shape_)}, (*offsets_)[0], (*offsets_)[1]});
}

bool SafetensorsParser::start_array(std::size_t) {
  if (place_ == Place::entry && field_ == "shape") {
    place_ = Place::shape;
    shape_.emplace();
  } else if (place_ == Place::entry && field_ == "data_offsets") {
    place_ = Place::offsets;
    offsets_.emplace();
  } else {
    refuse("an array");
  }
  return true;
}

bool SafetensorsParser::end_array() {
  if (place_ == Place::offsets && offsets_->size() != 2) refuse(fmt::format("{} numbers", offsets_->size()));
  place_ = Place::entry;
  return true;
}

bool SafetensorsParser::parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
  fail_safetensors(path_,
                   {"the header", fmt::format("a fault at byte {} of its JSON", position), "valid JSON in UTF-8"});
}

}  // namespace ilt
