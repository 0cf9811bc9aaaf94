// Reading and writing a decoder's weights by their checkpoint names.
#include "model/load.h"

#include <ATen/ops/empty.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/log.h"
#include "model/families/family.h"
#include "weights/convert.h"

namespace ilt {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// How many of the tensors that a decoder needs are not in the folder, as far as a thousand.
int count_missing(const ModelFolder& folder, const DecoderSpec& spec) {
  int missing = 0;
  const auto count = [&](const StoredTensor& stored) {
    missing += folder.tensors().contains(stored.name) ? 0 : 1;
    if (missing == 1000) throw std::length_error("enough");
  };
  try {
    const Decoder without_memory(spec, at::TensorOptions().dtype(at::kFloat).device(at::kMeta), count);
  } catch (const std::exception&) {  // enough are counted, or there is a shape that no tensor can have
  }
  return missing;
}

// The weights must be there, and as config.json says: told before memory is taken for what a wrong one may ask for.
void require_stored(const ModelFolder& folder, const DecoderSpec& spec, const StoredTensor& stored) {
  const auto it = folder.tensors().find(stored.name);
  if (it == folder.tensors().end()) {
    const int missing = count_missing(folder, spec);
    throw Error(Status::format,
                fmt::format("{}: '{}', which config.json asks for, is missing from the weights ({} tensors are); the "
                            "folder is incomplete, or config.json belongs to another model",
                            folder.path().string(), stored.name, missing),
                {{"file", folder.path().string()}, {"tensor", stored.name}, {"missing", missing}});
  }
  if (it->second.info.shape != stored.shape)
    throw Error(Status::format,
                fmt::format("{}: '{}' has the shape {}, but config.json asks for {}", folder.path().string(),
                            stored.name, shape_text(it->second.info.shape), shape_text(stored.shape)),
                {{"file", folder.path().string()}, {"tensor", stored.name}});
}

bool has_prefix(const ModelFolder& folder, const std::string& prefix) {
  return std::any_of(folder.tensors().begin(), folder.tensors().end(),
                     [&](const auto& tensor) { return tensor.first.starts_with(prefix); });
}

bool ends_with_any(const std::string& name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& e) { return name.ends_with(e); });
}

// A tensor that nothing uses would be lost at export: refused, unless it is known to be recomputed.
void require_all_used(const Decoder& decoder, const ModelFolder& folder) {
  std::set<std::string> used;
  for (const Parameter& p : decoder.parameters().all())
    for (const StoredTensor& s : p.stored) used.insert(s.name);
  const DecoderSpec& spec = decoder.spec();
  for (const auto& [name, view] : folder.tensors()) {
    if (used.contains(name)) continue;
    if (is_recomputed(spec, name)) {
      log::info("model", "{} is in the weights but follows from config.json: ignored", name);
    } else {
      throw Error(Status::unsupported,
                  fmt::format("{}: the weights hold '{}', which {} has no place for; nothing is loaded in part",
                              folder.path().string(), name, spec.architecture),
                  {{"file", folder.path().string()}, {"tensor", name}});
    }
  }
}

void read_tensor(const ModelFolder& folder, const StoredTensor& stored, at::Tensor values) {
  const TensorView& view = folder.tensors().at(stored.name);
  const bool in_place = values.is_cpu() && values.is_contiguous();
  const at::Tensor host = in_place ? values : at::empty(values.sizes(), at::TensorOptions().dtype(at::kFloat));
  const std::span<float> out(host.mutable_data_ptr<float>(), static_cast<std::size_t>(host.numel()));
  try {
    to_float(view, out);
  } catch (const Error& e) {
    throw Error(e.status(), fmt::format("{}: '{}': {}", folder.path().string(), stored.name, e.what()),
                {{"file", folder.path().string()}, {"tensor", stored.name}});
  }
  if (!in_place) values.copy_(host);
}

}  // namespace

bool is_recomputed(const DecoderSpec& spec, const std::string& name) {
  return ends_with_any(name, spec.ignored) || (spec.tied && name == spec.names.lm_head + ".weight");
}

std::unique_ptr<Decoder> load_decoder(const ModelFolder& folder, at::Device device) {
  DecoderSpec spec = read_spec(folder.config());
  if (has_prefix(folder, spec.optional_prefix)) spec.prefix = spec.optional_prefix;
  auto decoder = std::make_unique<Decoder>(spec, at::TensorOptions().dtype(at::kFloat).device(device),
                                           [&](const StoredTensor& stored) { require_stored(folder, spec, stored); });
  require_all_used(*decoder, folder);
  for (const Parameter& p : decoder->parameters().all())
    for (const StoredTensor& s : p.stored) read_tensor(folder, s, stored_view(p.value, s));
  return decoder;
}

std::vector<ExportTensor> export_tensors(const std::vector<NamedTensor>& weights, const ModelFolder& folder,
                                         const std::string& save_dtype) {
  std::vector<ExportTensor> tensors;
  for (const NamedTensor& w : weights) {
    const auto it = folder.tensors().find(w.name);
    if (it == folder.tensors().end())
      throw Error(
          Status::format,
          fmt::format("{}: '{}', which is to be exported, is no tensor of this model", folder.path().string(), w.name),
          {{"file", folder.path().string()}, {"tensor", w.name}});
    const DType dtype = save_dtype.empty() ? it->second.info.dtype : parse_dtype(save_dtype);
    tensors.push_back({w.name, {dtype, it->second.info.shape}, [value = w.value, host = at::Tensor()]() mutable {
                         host = value.to(at::kCPU).contiguous();
                         return std::span<const float>(host.const_data_ptr<float>(),
                                                       static_cast<std::size_t>(host.numel()));
                       }});
  }
  return tensors;
}

}  // namespace ilt
