// Evaluation in chunks of samples, so that neither the packer's work nor the batches grow with the data.
#include "train/evaluate.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "train/batches.h"

namespace ilt {
namespace {

constexpr std::int64_t samples_a_chunk = 256;

}  // namespace

Evaluation evaluate(Decoder& decoder, const Corpus& data, std::int64_t budget, const CancelToken& cancel) {
  Evaluation result;
  double sum = 0;
  for (std::int64_t begin = 0; begin < data.size(); begin += samples_a_chunk) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(std::min(samples_a_chunk, data.size() - begin)));
    std::iota(samples.begin(), samples.end(), begin);
    for (const MicroBatch& batch : make_batches(data, samples, budget, decoder.device())) {
      cancel.check();
      if (batch.target_count() == 0) continue;
      sum -= decoder.log_probs(batch).sum(at::kDouble).item<double>();
      result.targets += batch.target_count();
    }
    result.samples += static_cast<std::int64_t>(samples.size());
  }
  result.loss = result.targets > 0 ? sum / static_cast<double>(result.targets) : 0;
  return result;
}

}  // namespace ilt
