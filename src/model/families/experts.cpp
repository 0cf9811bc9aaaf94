// Reading what families with experts share.
#include "model/families/experts.h"

#include "base/error.h"
#include "model/families/counts.h"

namespace ilt {

ExpertsSpec read_experts(const ConfigReader& config, const DecoderSpec& spec, const char* count_key,
                         const char* width_key) {
  ExpertsSpec e;
  e.count = read_count(config, count_key);
  e.per_token = config.positive("num_experts_per_tok");
  e.width = config.positive(width_key);
  e.activation = spec.activation;
  if (e.per_token > e.count)
    fail(Status::format, "config.json: num_experts_per_tok ({}) is more than {} ({})", e.per_token, count_key, e.count);
  // Set, transformers adds a loss that spreads tokens over the experts.
  if (config.boolean_or("output_router_logits", false)) e.balance_loss = config.number("router_aux_loss_coef");
  return e;
}

void use_experts(DecoderSpec& spec, const ExpertsSpec& experts, const std::function<bool(std::int64_t)>& sparse) {
  spec.experts = experts;
  for (std::int64_t i = 0; i < spec.layers; ++i) spec.layer_specs[static_cast<std::size_t>(i)].experts = sparse(i);
}

}  // namespace ilt
