// Wording of the errors of GGUF files.
#include "weights/gguf/fault.h"

namespace ilt {

void fail_gguf(const std::filesystem::path& path, const GgufFault& fault) {
  Json detail = {{"file", path.string()}, {"got", fault.found}, {"expected", fault.expected}};
  if (!fault.tensor.empty()) detail["tensor"] = fault.tensor;
  throw Error(Status::format,
              fmt::format("{}: no valid GGUF file: {}: found {}, expected {}; {}", path.string(), fault.what,
                          fault.found, fault.expected, fault.advice),
              std::move(detail));
}

void refuse_gguf(const std::filesystem::path& path, std::string_view key, const std::string& found,
                 const std::string& known) {
  throw Error(Status::unsupported, fmt::format("{}: {} is {}; {}", path.string(), key, found, known),
              {{"file", path.string()}, {"key", std::string(key)}, {"got", found}});
}

}  // namespace ilt
