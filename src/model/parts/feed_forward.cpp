// Which kind of feed-forward layer a layer has.
#include "model/parts/feed_forward.h"

#include "model/parts/experts.h"
#include "model/parts/mlp.h"

namespace ilt {

std::unique_ptr<FeedForward> make_feed_forward(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters) {
  if (spec.layer(layer).experts) return std::make_unique<Experts>(spec, layer, parameters);
  return std::make_unique<Mlp>(spec, spec.names.mlp, spec.intermediate, layer, parameters);
}

}  // namespace ilt
