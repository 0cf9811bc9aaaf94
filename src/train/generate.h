// Generation: tokens one after another from a prompt.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "model/decoder.h"
#include "weights/model_source.h"

namespace ilt {

struct GenerateOptions {
  std::int64_t max_new_tokens = 128;
  double temperature = 0.0;  // 0: always the most likely token
  std::int64_t top_k = 0;    // 0: all
  double top_p = 1.0;
  std::uint64_t seed = 0;
  std::vector<std::int32_t> stop_ids;  // empty: the model's eos ids
};

// The ids that end a turn: generation_config.json's eos_token_id (one or a list), else config.json's; maybe none.
std::vector<std::int32_t> read_eos_ids(const ModelSource& source);

// The new tokens, without the stop token that ended them. `on_token` (may be empty) sees each and returns false to
// stop.
std::vector<std::int32_t> generate(const Decoder& decoder, std::span<const std::int32_t> prompt,
                                   const GenerateOptions& options, const std::function<bool(std::int32_t)>& on_token,
                                   const CancelToken& cancel);

// Throws numeric, naming `what`, where a value is NaN or infinite.
void require_finite(std::span<const float> values, const char* what);

// The choice among logits [vocab] (fp32, on the CPU): temperature, then top-k, then top-p (Holtzman et al., arXiv
// 1904.09751). `uniform` in [0, 1) decides.
std::int32_t sample_token(std::span<const float> logits, const GenerateOptions& options, double uniform);

}  // namespace ilt
