// A source that stands before another one and adds rows to what it reads.
#include "model/vocabulary.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/replaced_file.h"
#include "model/load.h"

namespace ilt {
namespace {

// Rows of `width` values: the first `known` stay, the others become their mean.
void fill_with_mean(std::span<float> values, std::size_t known, std::size_t width) {
  std::vector<double> mean(width, 0.0);
  for (std::size_t row = 0; row < known; ++row)
    for (std::size_t i = 0; i < width; ++i) mean[i] += values[row * width + i];
  for (double& m : mean) m /= static_cast<double>(known);
  for (auto rest = values.subspan(known * width); !rest.empty(); rest = rest.subspan(width))
    std::transform(mean.begin(), mean.end(), rest.begin(), [](double m) { return static_cast<float>(m); });
}

SourceTensor with_rows(const SourceTensor& tensor, std::int64_t rows) {
  SourceTensor grown = tensor;
  grown.info.shape[0] = rows;
  const auto known = static_cast<std::size_t>(tensor.info.shape[0]);
  const auto width = static_cast<std::size_t>(tensor.info.numel()) / known;
  grown.read = [read = tensor.read, known, width](std::span<float> out) {
    read(out.first(known * width));
    fill_with_mean(out, known, width);
  };
  return grown;
}

}  // namespace

std::int64_t rows_for(std::int64_t rows, std::int64_t tokens, std::int64_t multiple) {
  const std::int64_t needed = std::max(rows, tokens);
  return (needed + multiple - 1) / multiple * multiple;
}

ModelSource grow_vocabulary(const ModelSource& source, std::int64_t rows) {
  const DecoderSpec spec = read_spec(source);
  if (rows < spec.vocab) fail(Status::internal, "a vocabulary of {} cannot grow to {}", spec.vocab, rows);
  auto tensors = source.tensors();
  for (const std::string& name :
       {spec.names.embeddings + ".weight", spec.names.lm_head + ".weight", spec.names.lm_head + ".bias"}) {
    const auto it = tensors.find(spec.prefix + name);
    // Where config.json asks for other shapes, loading says so.
    if (it != tensors.end() && !it->second.info.shape.empty() && it->second.info.shape[0] == spec.vocab)
      it->second = with_rows(it->second, rows);
  }
  Json config = source.config();
  config["vocab_size"] = rows;
  const auto files = std::make_shared<ReplacedFile>(source.shared_files(), "config.json", config.dump(2) + "\n");
  return {source.path(), files, std::move(config), std::move(tensors)};
}

}  // namespace ilt
