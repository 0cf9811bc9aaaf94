// Mapped fp32 weights to a Hugging Face folder, tensor by tensor.
#include "checkpoint/state_export.h"

#include <vector>

#include "base/error.h"
#include "checkpoint/full_state.h"
#include "checkpoint/manifest.h"
#include "model/families/family.h"
#include "model/load.h"
#include "model/vocabulary.h"
#include "weights/convert.h"
#include "weights/export.h"
#include "weights/model_source.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void not_of_model(const fs::path& state, const ModelSource& model, const std::string& name,
                               const std::string& why) {
  throw Error(Status::format,
              fmt::format("{}: '{}' {} {}: give the model_path of the model that was trained", state.string(), name,
                          why, model.path().string()),
              {{"file", state.string()}, {"tensor", name}, {"key", "model_path"}});
}

// The model that was trained: with a larger vocabulary where the state has one.
ModelSource open_trained(const fs::path& path, const SafetensorsFile& weights) {
  ModelSource model = open_model(path);
  const DecoderSpec spec = read_spec(model);
  const auto it = weights.tensors().find(spec.prefix + spec.names.embeddings + ".weight");
  if (it == weights.tensors().end() || it->second.info.shape.empty()) return model;
  const std::int64_t rows = it->second.info.shape[0];
  return rows > spec.vocab ? grow_vocabulary(model, rows) : model;
}

std::vector<ExportTensor> tensors_for(const SafetensorsFile& weights, const fs::path& state, const ModelSource& model,
                                      const std::string& save_dtype) {
  const DecoderSpec spec = read_spec(model.config());
  for (const auto& [name, view] : model.tensors()) {
    if (!weights.tensors().contains(name) && !is_recomputed(spec, name))
      not_of_model(state, model, name, "is missing there, but is a tensor of");
  }
  std::vector<ExportTensor> tensors;
  for (const auto& [name, view] : weights.tensors()) {
    const auto it = model.tensors().find(name);
    if (it == model.tensors().end()) not_of_model(state, model, name, "is no tensor of");
    if (it->second.info.shape != view.info.shape) not_of_model(state, model, name, "has another shape in");
    const DType dtype = save_dtype.empty() ? it->second.info.dtype : parse_dtype(save_dtype);
    tensors.push_back({name, {dtype, view.info.shape}, [view, values = std::vector<float>()]() mutable {
                         values.resize(static_cast<std::size_t>(view.info.numel()));
                         to_float(view, values);
                         return std::span<const float>(values);
                       }});
  }
  return tensors;
}

}  // namespace

void export_state(const fs::path& state, const fs::path& destination, const StateExportOptions& options) {
  verify_folder(state);
  const Json run = read_run_state(state);
  const std::string model_path = options.model_path.empty() ? run.value("model_path", "") : options.model_path;
  const SafetensorsFile weights(state / weights_file);
  const ModelSource model = open_trained(model_path, weights);
  export_model(model.files(), destination, tensors_for(weights, state, model, options.save_dtype),
               dtype_changes(model.config(), options.save_dtype));
}

}  // namespace ilt
