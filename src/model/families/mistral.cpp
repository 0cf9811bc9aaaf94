// Mistral (all layers see a window, or none does) and Ministral (windows by layer_types).
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec mistral_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  read_window(config, s);
  return s;
}

DecoderSpec ministral_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  const bool has_window = config.has("sliding_window");
  set_windows(config, read_sliding_layers(config, s, [&](std::int64_t) { return has_window; }), s);
  return s;
}

}  // namespace ilt
