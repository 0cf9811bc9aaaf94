// Scaling of rotary frequencies: GGUF's keys and tensors to Hugging Face's rope_scaling, and back.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "weights/gguf/file.h"

namespace ilt {

// The names of tensors that hold divisors of frequencies; they are part of the configuration.
bool is_gguf_rope_tensor(const std::string& name);

// rope_scaling for a config.json that has the other keys already; null where nothing is scaled. `turning` components of
// a head turn. Throws unsupported for kinds of scaling that libilt does not know.
Json read_gguf_rope(const GgufContent& content, const std::string& architecture, std::int64_t turning,
                    const Json& config);

// What a config.json says of rotary frequencies, for a GGUF file. A number that is 0 has no key.
struct GgufRope {
  double theta = 0.0;
  std::int64_t turning = 0;
  std::string type;  // "linear", "yarn"; empty: no key
  double factor = 0.0, original_context = 0.0, attention_factor = 0.0, beta_fast = 0.0, beta_slow = 0.0;
  std::vector<std::pair<std::string, std::vector<float>>> tensors;  // of divisors
};

// `config` is one that a model family has read. Throws unsupported for kinds that GGUF has no place for.
GgufRope write_gguf_rope(const Json& config, double default_theta);

}  // namespace ilt
