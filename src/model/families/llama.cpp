// Llama 1 to 3 and what shares its architecture (SmolLM2, TinyLlama, Yi, ...): transformers' LlamaForCausalLM.
#include "base/error.h"
#include "model/families/config_reader.h"
#include "model/families/family.h"
#include "model/families/rope.h"

namespace ilt {

DecoderSpec llama_spec(const Json& json) {
  const ConfigReader config(json);
  DecoderSpec s;
  s.vocab = config.positive("vocab_size");
  s.hidden = config.positive("hidden_size");
  s.layers = config.positive("num_hidden_layers");
  s.intermediate = config.positive("intermediate_size");
  s.heads = config.positive("num_attention_heads");
  s.kv_heads = config.positive_or("num_key_value_heads", s.heads);
  s.head_dim = config.positive_or("head_dim", s.hidden / s.heads);
  s.max_positions = config.positive_or("max_position_embeddings", 2048);
  s.norm_eps = config.number_or("rms_norm_eps", 1e-6);
  s.tied = config.boolean_or("tie_word_embeddings", false);
  s.attention_bias = config.boolean_or("attention_bias", false);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  s.rope = read_rope(config, 10000.0);
  s.ignored = {"rotary_emb.inv_freq"};
  if (const std::string act = config.text_or("hidden_act", "silu"); act != "silu" && act != "swish")
    config.unsupported("hidden_act", act, {"silu"});
  if (config.number_or("attention_dropout", 0.0) != 0.0)
    config.unsupported("attention_dropout", to_line(config.at("attention_dropout")), {"0.0"});
  if (s.heads % s.kv_heads != 0)
    fail(Status::format, "config.json: num_attention_heads ({}) is no multiple of num_key_value_heads ({})", s.heads,
         s.kv_heads);
  if (s.head_dim < 2 || s.head_dim % 2 != 0)
    fail(Status::format, "config.json: head_dim is {}, expected an even number (rotary embedding turns pairs)",
         s.head_dim);
  return s;
}

}  // namespace ilt
