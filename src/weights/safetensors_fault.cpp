// Wording of the errors of broken safetensors files.
#include "weights/safetensors_fault.h"

#include "base/error.h"

namespace ilt {

void fail_safetensors(const std::filesystem::path& path, const SafetensorsFault& fault) {
  Json detail = {{"file", path.string()}, {"got", fault.found}, {"expected", fault.expected}};
  if (!fault.tensor.empty()) detail["tensor"] = fault.tensor;
  throw Error(Status::format,
              fmt::format("{}: no valid safetensors file: {}: found {}, expected {}; {}", path.string(), fault.what,
                          fault.found, fault.expected, fault.advice),
              std::move(detail));
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t longest = 200;
  std::string text = to_line(Json(name.substr(0, longest)));
  text.front() = text.back() = '\'';
  if (name.size() > longest) text += " (cut)";
  return text;
}

}  // namespace ilt
