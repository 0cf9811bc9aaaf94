// ilt.h: models in other formats.
#include "base/json.h"
#include "capi/guard.h"
#include "config/option.h"
#include "model/convert.h"

namespace ilt::capi {
namespace {

const std::vector<Option>& convert_options() {
  static const auto* const options = new std::vector<Option>{
      {.name = "format", .field = field_of<&ConvertOptions::format>, .choices = {"gguf", "hf"}},
      {.name = "dtype",
       .field = field_of<&ConvertOptions::dtype>,
       .choices = {"", "float32", "bfloat16", "float16", "q8_0"}},
  };
  return *options;
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_model_export(const char* model_path, const char* out_path, const char* options_json,
                            ilt_error** err) noexcept {
  return guard(err, [&] {
    require(model_path, "model_path");
    require(out_path, "out_path");
    require(options_json, "options_json");
    if (*out_path == '\0') ilt::fail(ilt::Status::invalid_argument, "out_path is empty: give what to write");
    ilt::ConvertOptions options;
    set_options(convert_options(), &options, ilt::parse_json(options_json, "export options", {.repeated_keys = false}));
    if (options.format.empty())
      throw ilt::Error(ilt::Status::config, "option 'format' is missing: give \"gguf\" or \"hf\"", {{"key", "format"}});
    ilt::convert_model(model_path, out_path, options);
  });
}
