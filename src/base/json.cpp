// JSON parsing with limits and a place in every error, and one-line output.
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace ilt {
namespace {

// nlohmann's text without its own prefix: "[json.exception.parse_error.101] parse error at line 1, column 2: ".
std::string reason_of(const nlohmann::json::exception& error) {
  const std::string what = error.what();
  for (const std::string_view mark : {"column ", "] "}) {
    const auto at = what.find(mark);
    const auto colon = at == std::string::npos ? at : what.find(mark == "column " ? ": " : "] ", at);
    if (colon != std::string::npos) return what.substr(colon + 2);
  }
  return what;
}

// The keys of an object that is being read. nlohmann's own parser looks each one up among all before it.
class Keys {
 public:
  // The value of a key that was there before, else null.
  Json* find(Json::object_t& object, const std::string& key) {
    if (object.size() < few) {
      const auto it = object.find(key);
      return it == object.end() ? nullptr : &it->second;
    }
    for (; indexed_ < object.size(); ++indexed_)
      places_.emplace((object.begin() + static_cast<std::ptrdiff_t>(indexed_))->first, indexed_);
    const auto it = places_.find(key);
    return it == places_.end() ? nullptr : &(object.begin() + static_cast<std::ptrdiff_t>(it->second))->second;
  }

 private:
  static constexpr std::size_t few = 16;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t indexed_ = 0;
};

// A handler for nlohmann's parser that builds the value.
class Builder {
 public:
  using string_t = Json::string_t;

  explicit Builder(const JsonLimits& limits) : limits_(limits) {}
  Json take() { return std::move(root_); }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) { return put(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const string_t&) { return put(value); }
  bool string(string_t& value) { return put(std::move(value)); }
  bool binary(Json::binary_t& value) { return put(std::move(value)); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& name) {
    auto& object = open_.back().value->get_ref<Json::object_t&>();
    slot_ = open_.back().keys.find(object, name);
    if (slot_ != nullptr && !limits_.repeated_keys)
      throw JsonFault{fmt::format("the key \"{}\" is given twice", shortened(name))};
    if (slot_ == nullptr && object.size() == limits_.keys)
      throw JsonFault{fmt::format("an object has more than {} keys", limits_.keys)};
    if (slot_ == nullptr) slot_ = &object.emplace_back(std::move(name), nullptr).second;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    throw JsonFault{reason_of(error), position > 0 ? position - 1 : 0};
  }

 private:
  struct Open {
    Json* value;
    Keys keys;
  };

  Json* place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back().value->is_object()) return &(*slot_ = std::move(value));
    auto& array = open_.back().value->get_ref<Json::array_t&>();
    return &array.emplace_back(std::move(value));
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    open_.push_back({place(std::move(value)), {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  Json root_;
  std::vector<Open> open_;
  Json* slot_ = nullptr;  // where the value of the last key goes
};

// Counted before parsing, so that the error has its place.
void check_depth(std::string_view text, int limit) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > limit) throw JsonFault{fmt::format("nested deeper than {} levels", limit), i};
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

struct LineColumn {
  std::size_t line;
  std::size_t column;
};

LineColumn place_of(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte, text.size()));
  const auto newline = before.rfind('\n');
  const auto column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1, column};
}

}  // namespace

Json parse_json_text(std::string_view text, const JsonLimits& limits) {
  // The parser takes a zero byte for the end of its input.
  if (const auto zero = text.find('\0'); zero != std::string_view::npos)
    throw JsonFault{fmt::format("byte {} is zero (NUL)", zero + 1), zero};
  check_depth(text, limits.depth);
  Builder builder(limits);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

Json parse_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  try {
    return parse_json_text(text, limits);
  } catch (const JsonFault& fault) {
    const std::string reason = shortened(fault.reason);
    if (fault.byte == JsonFault::nowhere)
      throw Error(Status::format, fmt::format("{}: {}", where, reason), {{"source", where}});
    const auto [line, column] = place_of(text, fault.byte);
    throw Error(Status::format,
                fmt::format("{}: not valid JSON at line {}, column {}: {}", where, line, column, reason),
                {{"source", where}, {"line", line}, {"column", column}});
  }
}

Json try_parse_json(std::string_view text) {
  try {
    return parse_json_text(text);
  } catch (const JsonFault&) {
    return Json(Json::value_t::discarded);
  }
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace ilt
