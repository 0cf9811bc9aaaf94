// The error of a GGUF file that is broken, or that says what libilt cannot do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ilt {

struct GgufFault {
  std::string what;      // the part that is wrong: "the key 'x'", "tensor 'a'"
  std::string found;     // with its article: "a string"
  std::string expected;  // likewise
  std::string_view advice = "the file is damaged: download or write it again";
  std::string tensor = {};  // in the error's detail where it is known
};

// Throws Error(format).
[[noreturn]] void fail_gguf(const std::filesystem::path& path, const GgufFault& fault);

// Throws Error(unsupported) about a key of the metadata: "PATH: KEY is FOUND; libilt KNOWS".
[[noreturn]] void refuse_gguf(const std::filesystem::path& path, std::string_view key, const std::string& found,
                              const std::string& known);

}  // namespace ilt
