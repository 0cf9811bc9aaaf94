// Making the parameters of layers from a family's names.
#include "model/parts/weights.h"

namespace ilt {

namespace {

constexpr std::string_view head_mark = "{head}";

// A layout of rows as one of rows of `columns` values.
StoredLayout with_columns(StoredLayout layout, std::int64_t columns) {
  if (layout.order.empty()) return layout;
  layout.order.push_back(static_cast<std::int64_t>(layout.dimensions.size()));
  layout.dimensions.push_back(columns);
  return layout;
}

std::vector<StoredTensor> norm_tensors(const std::string& name, const char* ending,
                                       const std::vector<std::int64_t>& shape) {
  if (name.find(head_mark) == std::string::npos) return {{name + ending, 0, shape}};
  std::vector<StoredTensor> tensors;
  for (std::int64_t h = 0; h < shape[0]; ++h) tensors.push_back({replaced(name, head_mark, h) + ending, 0, {shape[1]}});
  return tensors;
}

}  // namespace

std::string replaced(std::string_view text, std::string_view mark, std::int64_t number) {
  std::string result(text);
  if (const auto at = result.find(mark); at != std::string::npos)
    result.replace(at, mark.size(), std::to_string(number));
  return result;
}

std::string layer_name(std::string_view pattern, std::int64_t layer) {
  return replaced(pattern, "{}", layer);
}

Linear add_linear(ParameterSet& parameters, const DecoderSpec& spec, std::int64_t layer, std::int64_t columns,
                  bool bias, const std::vector<LinearRows>& rows, const LinearOptions& options) {
  std::vector<StoredTensor> weights;
  std::vector<StoredTensor> biases;
  for (const LinearRows& r : rows) {
    const std::string name = layer_name(r.name, layer);
    weights.push_back({name + ".weight", 0, {r.rows, columns}, with_columns(options.layout, columns)});
    biases.push_back({name + ".bias", 0, {r.rows}, options.layout});
    if (spec.transposed) weights.back() = {name + ".weight", 0, {columns, r.rows}, {{r.rows, columns}, {1, 0}}};
  }
  Parameter& weight = parameters.add(std::move(weights), {columns});
  return {weight, bias ? &parameters.add(std::move(biases)) : nullptr, options.scale};
}

Norm add_norm(ParameterSet& parameters, const NormSpec& spec, std::int64_t layer, const std::string& name,
              const std::vector<std::int64_t>& shape) {
  const std::string stem = layer_name(name, layer);
  Parameter& weight = parameters.add(norm_tensors(stem, ".weight", shape));
  return {spec, weight, spec.bias ? &parameters.add(norm_tensors(stem, ".bias", shape)) : nullptr};
}

}  // namespace ilt
