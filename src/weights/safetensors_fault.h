// The error of a broken safetensors file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ilt {

struct SafetensorsFault {
  std::string what;      // the part that is wrong: "tensor 'a': shape"
  std::string found;     // with its article: "a negative number"
  std::string expected;  // likewise
  std::string_view advice = "the file is damaged: download or write it again";
  std::string tensor = {};  // in the error's detail where it is known
};

// Throws Error(format).
[[noreturn]] void fail_safetensors(const std::filesystem::path& path, const SafetensorsFault& fault);

// A name out of the file, quoted, escaped and cut to a length that an error can hold.
std::string shown_name(std::string_view name);

}  // namespace ilt
