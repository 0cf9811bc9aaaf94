// Conversion of models, tensor by tensor.
#include "model/convert.h"

#include <algorithm>

#include "base/error.h"
#include "model/export_gguf.h"
#include "model/load.h"
#include "weights/export.h"

namespace ilt {
namespace {

GgufTensorType gguf_type(const std::string& dtype, const ModelSource& source) {
  if (dtype == "q8_0") return GgufTensorType::q8_0;
  DType type = DType::f32;
  if (!dtype.empty()) {
    type = parse_dtype(dtype);
  } else {
    const auto matrix = std::find_if(source.tensors().begin(), source.tensors().end(),
                                     [](const auto& tensor) { return tensor.second.info.shape.size() > 1; });
    if (matrix != source.tensors().end()) type = matrix->second.info.dtype;
  }
  if (type == DType::bf16) return GgufTensorType::bf16;
  return type == DType::f16 ? GgufTensorType::f16 : GgufTensorType::f32;
}

void export_folder(const ModelSource& source, const std::filesystem::path& destination, const std::string& dtype) {
  describe_decoder(source);  // checks that it is a whole model
  std::vector<ExportTensor> tensors;
  for (const auto& [name, tensor] : source.tensors()) {
    const DType type = dtype.empty() ? tensor.info.dtype : parse_dtype(dtype);
    tensors.push_back({name, {type, tensor.info.shape}, [&tensor, values = std::vector<float>()]() mutable {
                         values.resize(static_cast<std::size_t>(tensor.info.numel()));
                         tensor.read(values);
                         return std::span<const float>(values);
                       }});
  }
  export_model(source.files(), destination, tensors, dtype_changes(source.config(), dtype));
}

}  // namespace

void convert_model(const std::filesystem::path& model, const std::filesystem::path& destination,
                   const ConvertOptions& options) {
  const ModelSource source = open_model(model);
  if (options.format == "gguf") return export_gguf(source, destination, gguf_type(options.dtype, source));
  if (options.dtype == "q8_0")
    throw Error(Status::config, "option 'dtype': got \"q8_0\", which is a type of GGUF alone",
                {{"key", "dtype"}, {"got", options.dtype}, {"expected", "float32, bfloat16 or float16"}});
  export_folder(source, destination, options.dtype);
}

}  // namespace ilt
