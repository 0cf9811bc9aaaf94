// Experts' matrices: one stored tensor each (Mixtral, Qwen, OLMoE, DeepSeek), or one for all, as computed with
// (Granite) or input first and with gate and up interleaved (GPT-OSS).
#include "model/parts/expert_weights.h"

#include "model/parts/weights.h"

namespace ilt {

namespace {

std::string expert_name(const std::string& pattern, std::int64_t layer, std::int64_t expert) {
  return replaced(layer_name(pattern, layer), "{expert}", expert) + ".weight";
}

}  // namespace

Parameter& add_expert_gate_up(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  const ExpertsSpec& e = *s.experts;
  const std::string name = layer_name(s.names.expert.gate_up, layer);
  switch (e.storage) {
    case ExpertStorage::together:
      return parameters.add({{name + ".weight", 0, {e.count, 2 * e.width, s.hidden}}}, {s.hidden});
    case ExpertStorage::interleaved:
      return parameters.add(
          {{name, 0, {e.count, s.hidden, 2 * e.width}, {{e.count, 2, e.width, s.hidden}, {0, 3, 2, 1}}}}, {s.hidden});
    case ExpertStorage::apart:
      break;
  }
  std::vector<StoredTensor> stored;
  for (std::int64_t i = 0; i < e.count; ++i) {
    stored.push_back({expert_name(s.names.expert.gate, layer, i), 0, {e.width, s.hidden}});
    stored.push_back({expert_name(s.names.expert.up, layer, i), 0, {e.width, s.hidden}});
  }
  return parameters.add(std::move(stored));
}

Parameter* add_expert_gate_up_bias(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  const ExpertsSpec& e = *s.experts;
  if (!e.bias) return nullptr;
  const std::string name = layer_name(s.names.expert.gate_up, layer) + "_bias";
  return &parameters.add({{name, 0, {e.count, 2 * e.width}, {{e.count, 2, e.width}, {0, 2, 1}}}}, {});
}

Parameter& add_expert_down(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  const ExpertsSpec& e = *s.experts;
  const std::string name = layer_name(s.names.expert.down, layer);
  switch (e.storage) {
    case ExpertStorage::together:
      return parameters.add({{name + ".weight", 0, {e.count, s.hidden, e.width}}}, {e.width});
    case ExpertStorage::interleaved:
      return parameters.add({{name, 0, {e.count, e.width, s.hidden}, {{e.count, s.hidden, e.width}, {0, 2, 1}}}},
                            {e.width});
    case ExpertStorage::apart:
      break;
  }
  std::vector<StoredTensor> stored;
  for (std::int64_t i = 0; i < e.count; ++i)
    stored.push_back({expert_name(s.names.expert.down, layer, i), 0, {s.hidden, e.width}});
  return parameters.add(std::move(stored));
}

Parameter* add_expert_down_bias(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  const ExpertsSpec& e = *s.experts;
  if (!e.bias) return nullptr;
  return &parameters.add({{layer_name(s.names.expert.down, layer) + "_bias", 0, {e.count, s.hidden}}}, {});
}

}  // namespace ilt
