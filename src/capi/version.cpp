// ilt.h: version and build.
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json.h"
#include "ilt.h"

#define ILT_TEXT_OF(x) #x
#define ILT_TEXT(x) ILT_TEXT_OF(x)

namespace {

constexpr const char* version =
    ILT_TEXT(ILT_VERSION_MAJOR) "." ILT_TEXT(ILT_VERSION_MINOR) "." ILT_TEXT(ILT_VERSION_PATCH);
constexpr std::string_view features[] = {
    "cpu",     "train", "score", "generate", "tokenizer", "chat_template",
#ifdef ILT_HAS_PARQUET
    "parquet",
#endif
};

std::string build_info() {
  const ilt::Json info = {{"version", version},
                          {"abi", ILT_TEXT(ILT_VERSION_MAJOR) "." ILT_TEXT(ILT_VERSION_MINOR)},
                          {"compiler", __VERSION__},
                          {"libtorch", TORCH_VERSION},
                          {"cpu_capability", at::get_cpu_capability()},
                          {"features", features}};
  return ilt::to_line(info);
}

}  // namespace

const char* ilt_version_string(void) noexcept {
  return version;
}

uint32_t ilt_version_number(void) noexcept {
  return ILT_VERSION_MAJOR << 24 | ILT_VERSION_MINOR << 16 | ILT_VERSION_PATCH;
}

uint32_t ilt_abi_version(void) noexcept {
  return ILT_ABI_VERSION;
}

const char* ilt_build_info_json(void) noexcept {
  try {
    static const auto* const text = new std::string(build_info());
    return text->c_str();
  } catch (...) {
    return "{}";
  }
}

int32_t ilt_has_feature(const char* name) noexcept {
  return name != nullptr && std::find(std::begin(features), std::end(features), name) != std::end(features);
}
