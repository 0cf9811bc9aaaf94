// The loss on data that is not trained on.
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "data/corpus.h"
#include "model/decoder.h"

namespace ilt {

struct Evaluation {
  double loss = 0;           // mean over the targets, in nats
  std::int64_t targets = 0;  // shifted, loss-bearing tokens
  std::int64_t samples = 0;
};

// One global sum over one global count: the result does not depend on how samples are batched. Packs up to `budget`
// tokens at a time. Throws Stopped.
Evaluation evaluate(Decoder& decoder, const Corpus& data, std::int64_t budget, const CancelToken& cancel);

}  // namespace ilt
