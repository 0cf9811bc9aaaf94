// The configuration of sessions and data sets.
#ifndef ILT_CONFIG_HPP_
#define ILT_CONFIG_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ilt {

// Options by name, all at their defaults at first.
class Config {
 public:
  Config() : handle_(detail::make<Handle>(ilt_config_create)) {}
  // From a JSON object of options.
  static Config from_json(std::string_view json) {
    return Config(detail::make<Handle>(
        [&](ilt_config** out, ilt_error** err) { return ilt_config_from_json(json.data(), json.size(), out, err); }));
  }

  // Sets an option from text.
  Config& set(const std::string& key, const std::string& value) {
    detail::call([&](ilt_error** err) { return ilt_config_set(c(), key.c_str(), value.c_str(), err); });
    return *this;
  }
  // The value of an option, as set() takes it.
  std::string get(const std::string& key) const {
    char* out = nullptr;
    detail::call([&](ilt_error** err) { return ilt_config_get(c(), key.c_str(), &out, err); });
    return detail::Memory<char>(out).get();
  }
  // Throws where options are missing or contradict each other.
  void validate() const {
    detail::call([&](ilt_error** err) { return ilt_config_validate(c(), err); });
  }
  std::string to_json() const {
    return detail::text(
        [&](char** out, std::size_t* length, ilt_error** err) { return ilt_config_to_json(c(), out, length, err); });
  }
  // The memory that a session takes to train.
  std::string memory_estimate_json() const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_memory_estimate_json(c(), out, length, err);
    });
  }
  ilt_config* c() const noexcept { return handle_.get(); }

 private:
  using Handle = detail::Handle<ilt_config, ilt_config_free>;
  explicit Config(Handle handle) noexcept : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace ilt

#endif  // ILT_CONFIG_HPP_
