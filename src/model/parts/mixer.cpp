// Which kind of mixer a layer has.
#include "model/parts/mixer.h"

#include "model/parts/attention.h"
#include "model/parts/latent_attention.h"
#include "model/parts/mamba.h"

namespace ilt {

std::unique_ptr<Mixer> make_mixer(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters) {
  switch (spec.layer(layer).mixer) {
    case MixerKind::attention:
      return std::make_unique<SelfAttention>(spec, layer, parameters);
    case MixerKind::latent_attention:
      return std::make_unique<LatentAttention>(spec, layer, parameters);
    case MixerKind::mamba:
      return std::make_unique<Mamba>(spec, layer, parameters);
  }
  __builtin_unreachable();
}

}  // namespace ilt
