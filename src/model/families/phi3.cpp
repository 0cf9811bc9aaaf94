// Phi 3, 3.5 mini and 4: projections stored fused, LongRoPE, part of each head turned.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec phi3_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {}, "rms_norm_eps", 1e-5);
  s.names.qkv = "model.layers.{}.self_attn.qkv_proj";
  s.names.mlp.gate_up = "model.layers.{}.mlp.gate_up_proj";
  read_window(config, s);
  if (const RopeKind kind = s.ropes[0].kind; kind != RopeKind::standard && kind != RopeKind::longrope)
    config.unsupported("rope_scaling", "neither default nor longrope", {"default", "longrope"});
  return s;
}

}  // namespace ilt
