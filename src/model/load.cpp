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

namespace ilt {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// How many of the tensors that a decoder needs are not in the source, as far as a thousand.
int count_missing(const ModelSource& source, const DecoderSpec& spec) {
  int missing = 0;
  const auto count = [&](const StoredTensor& stored) {
    missing += source.tensors().contains(stored.name) ? 0 : 1;
    if (missing == 1000) throw std::length_error("enough");
  };
  try {
    const Decoder without_memory(spec, at::TensorOptions().dtype(at::kFloat).device(at::kMeta), count);
  } catch (const std::exception&) {  // enough are counted, or there is a shape that no tensor can have
  }
  return missing;
}

// The weights must be there, and as config.json says: told before memory is taken for what a wrong one may ask for.
void require_stored(const ModelSource& source, const DecoderSpec& spec, const StoredTensor& stored) {
  const auto it = source.tensors().find(stored.name);
  if (it == source.tensors().end()) {
    const int missing = count_missing(source, spec);
    throw Error(Status::format,
                fmt::format("{}: '{}', which config.json asks for, is missing from the weights ({} tensors are); the "
                            "folder is incomplete, or config.json belongs to another model",
                            source.path().string(), stored.name, missing),
                {{"file", source.path().string()}, {"tensor", stored.name}, {"missing", missing}});
  }
  if (it->second.info.shape != stored.shape)
    throw Error(Status::format,
                fmt::format("{}: '{}' has the shape {}, but config.json asks for {}", source.path().string(),
                            stored.name, shape_text(it->second.info.shape), shape_text(stored.shape)),
                {{"file", source.path().string()}, {"tensor", stored.name}});
}

bool has_prefix(const ModelSource& source, const std::string& prefix) {
  return std::any_of(source.tensors().begin(), source.tensors().end(),
                     [&](const auto& tensor) { return tensor.first.starts_with(prefix); });
}

bool ends_with_any(const std::string& name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& e) { return name.ends_with(e); });
}

// A tensor that nothing uses would be lost at export: refused, unless it is known to be recomputed.
void require_all_used(const Decoder& decoder, const ModelSource& source) {
  std::set<std::string> used;
  for (const Parameter& p : decoder.parameters().all())
    for (const StoredTensor& s : p.stored) used.insert(s.name);
  const DecoderSpec& spec = decoder.spec();
  for (const auto& [name, tensor] : source.tensors()) {
    if (used.contains(name)) continue;
    if (is_recomputed(spec, name)) {
      log::info("model", "{} is in the weights but follows from config.json: ignored", name);
    } else {
      throw Error(Status::unsupported,
                  fmt::format("{}: the weights hold '{}', which {} has no place for; nothing is loaded in part",
                              source.path().string(), name, spec.architecture),
                  {{"file", source.path().string()}, {"tensor", name}});
    }
  }
}

void read_tensor(const ModelSource& source, const StoredTensor& stored, at::Tensor values) {
  const bool in_place = values.is_cpu() && values.is_contiguous();
  const at::Tensor host = in_place ? values : at::empty(values.sizes(), at::TensorOptions().dtype(at::kFloat));
  const std::span<float> out(host.mutable_data_ptr<float>(), static_cast<std::size_t>(host.numel()));
  try {
    source.tensors().at(stored.name).read(out);
  } catch (const Error& e) {
    throw Error(e.status(), fmt::format("{}: '{}': {}", source.path().string(), stored.name, e.what()),
                {{"file", source.path().string()}, {"tensor", stored.name}});
  }
  if (!in_place) values.copy_(host);
}

std::unique_ptr<Decoder> make_decoder(const ModelSource& source, at::Device device) {
  const DecoderSpec spec = read_spec(source);
  auto decoder = std::make_unique<Decoder>(spec, at::TensorOptions().dtype(at::kFloat).device(device),
                                           [&](const StoredTensor& stored) { require_stored(source, spec, stored); });
  require_all_used(*decoder, source);
  return decoder;
}

}  // namespace

DecoderSpec read_spec(const ModelSource& source) {
  DecoderSpec spec = read_spec(source.config());
  if (has_prefix(source, spec.optional_prefix)) spec.prefix = spec.optional_prefix;
  return spec;
}

bool is_recomputed(const DecoderSpec& spec, const std::string& name) {
  return ends_with_any(name, spec.ignored) || (spec.tied && name == spec.names.lm_head + ".weight");
}

std::unique_ptr<Decoder> load_decoder(const ModelSource& source, at::Device device) {
  std::unique_ptr<Decoder> decoder = make_decoder(source, device);
  for (const Parameter& p : decoder->parameters().all())
    for (const StoredTensor& s : p.stored) read_tensor(source, s, stored_view(p.value, s));
  return decoder;
}

std::unique_ptr<Decoder> describe_decoder(const ModelSource& source) {
  return make_decoder(source, at::kMeta);
}

std::vector<ExportTensor> export_tensors(const std::vector<NamedTensor>& weights, const ModelSource& source,
                                         const std::string& save_dtype) {
  std::vector<ExportTensor> tensors;
  for (const NamedTensor& w : weights) {
    const auto it = source.tensors().find(w.name);
    if (it == source.tensors().end())
      throw Error(
          Status::format,
          fmt::format("{}: '{}', which is to be exported, is no tensor of this model", source.path().string(), w.name),
          {{"file", source.path().string()}, {"tensor", w.name}});
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
