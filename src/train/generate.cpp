// Generation with the projections of earlier tokens kept, so that each new token costs one pass over the weights.
#include "train/generate.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/rng.h"

namespace ilt {

namespace {

constexpr std::int64_t first_tokens = 256;

// Indices of the candidates, the most likely first, cut by top-k.
std::vector<std::int32_t> candidates(std::span<const float> logits, std::int64_t top_k) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = static_cast<std::int64_t>(order.size());
  const std::int64_t keep = top_k > 0 ? std::min(top_k, count) : count;
  std::partial_sort(order.begin(), order.begin() + keep, order.end(), [&](std::int32_t a, std::int32_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  order.resize(static_cast<std::size_t>(keep));
  return order;
}

}  // namespace

std::vector<std::int32_t> read_eos_ids(const ModelSource& source) {
  std::vector<std::int32_t> ids;
  const auto read = [&](const Json& config) {
    const auto it = config.is_object() ? config.find("eos_token_id") : config.end();
    if (it == config.end()) return;
    for (const Json& id : it->is_array() ? *it : Json::array({*it}))
      if (id.is_number_integer() && id >= 0 && id <= INT32_MAX) ids.push_back(id.get<std::int32_t>());
  };
  constexpr auto generation = "generation_config.json";
  const FileSet& files = source.files();
  if (files.has(generation)) read(parse_json(files.read(generation), files.place(generation)));
  if (ids.empty()) read(source.config());
  return ids;
}

void require_finite(std::span<const float> values, const char* what) {
  const auto bad = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad == values.end()) return;
  throw Error(Status::numeric,
              fmt::format("{} at position {} is {}: the model's weights are damaged, or too large for fp32", what,
                          bad - values.begin(), std::isnan(*bad) ? "NaN" : "infinite"),
              {{"position", bad - values.begin()}, {"got", fmt::format("{}", *bad)}});
}

std::int32_t sample_token(std::span<const float> logits, const GenerateOptions& options, double uniform) {
  if (options.temperature <= 0)
    return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  const std::vector<std::int32_t> order = candidates(logits, options.top_k);
  std::vector<double> mass(order.size());
  const double best = logits[static_cast<std::size_t>(order[0])];
  double total = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    total += mass[i] = std::exp((logits[static_cast<std::size_t>(order[i])] - best) / options.temperature);
  // The smallest set whose mass reaches top_p; at least one token.
  double kept = 0;
  std::size_t count = 0;
  while (count < mass.size() && (count == 0 || kept < options.top_p * total)) kept += mass[count++];
  double left = uniform * kept;
  for (std::size_t i = 0; i < count; ++i)
    if ((left -= mass[i]) < 0) return order[i];
  return order[count - 1];
}

std::vector<std::int32_t> generate(const Decoder& decoder, std::span<const std::int32_t> prompt,
                                   const GenerateOptions& options, const std::function<bool(std::int32_t)>& on_token,
                                   const CancelToken& cancel) {
  std::vector<std::int32_t> result;
  if (options.max_new_tokens <= 0) return result;
  SplitMix64 rng(options.seed);
  // It grows where more tokens come: most texts end long before the limit.
  DecodeCache cache = decoder.make_cache(static_cast<std::int64_t>(prompt.size()) +
                                         std::min<std::int64_t>(options.max_new_tokens, first_tokens));
  std::vector<std::int64_t> input(prompt.begin(), prompt.end());
  while (true) {
    cancel.check();
    const at::Tensor ids = at::tensor(input, at::kLong).to(decoder.device());
    const at::Tensor logits = decoder.decode(ids, cache, cancel).to(at::kCPU);
    const std::span<const float> row(logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel()));
    require_finite(row, "a logit");
    const std::int32_t token = sample_token(row, options, rng.uniform());
    if (std::find(options.stop_ids.begin(), options.stop_ids.end(), token) != options.stop_ids.end()) break;
    result.push_back(token);
    if (on_token && !on_token(token)) break;
    if (static_cast<std::int64_t>(result.size()) == options.max_new_tokens) break;
    input = {token};
  }
  return result;
}

}  // namespace ilt
