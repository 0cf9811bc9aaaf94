// The JSON of a safetensors header, read event by event: nothing is kept but what the format allows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "weights/safetensors.h"

namespace ilt {

struct HeaderEntry {
  std::string name;
  TensorInfo info;
  std::uint64_t begin = 0, end = 0;  // bytes from the start of the data
};

// A handler for nlohmann's parser. A document tree of a header of 100 MB could take gigabytes, and an ordered one looks
// every key up among all before it; this takes memory in proportion to the tensors. Throws Error(format).
class SafetensorsParser : public nlohmann::json_sax<Json> {
 public:
  explicit SafetensorsParser(const std::filesystem::path& path) : path_(path) {}

  std::vector<HeaderEntry>& entries() noexcept { return entries_; }
  std::map<std::string, std::string>& metadata() noexcept { return metadata_; }

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool number_integer(number_integer_t) override { return refuse("a negative number"); }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t, const string_t&) override { return refuse("a fractional or too large number"); }
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool start_object(std::size_t) override;
  bool key(string_t& value) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) override;

 private:
  enum class Place { outside, header, metadata, entry, shape, offsets };

  [[noreturn]] bool refuse(const std::string& found) const;
  std::string place_name() const;
  std::string expected() const;
  void finish_entry();

  std::filesystem::path path_;
  Place place_ = Place::outside;
  std::string key_;    // the last key of the header: a tensor's name or __metadata__
  std::string field_;  // the last key inside it
  std::optional<DType> dtype_;
  std::optional<std::vector<std::int64_t>> shape_;
  std::optional<std::vector<std::uint64_t>> offsets_;
  std::set<std::string> names_;
  std::vector<HeaderEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace ilt
