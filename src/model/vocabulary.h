// Growing a model's vocabulary: for a tokenizer that has learnt tokens which the model has no rows for.
#pragma once

#include <cstdint>

#include "weights/model_source.h"

namespace ilt {

// How many rows the embedding must have for so many tokens: never fewer than now, and a multiple of `multiple`.
std::int64_t rows_for(std::int64_t rows, std::int64_t tokens, std::int64_t multiple);

// The same model with so many rows (no fewer than it has) in its embedding and its head, and in config.json. A new row
// is the mean of those that are there, so that a new token is at first as likely as an average one (Hewitt 2021,
// "Initializing new word embeddings for pretrained language models").
ModelSource grow_vocabulary(const ModelSource& source, std::int64_t rows);

}  // namespace ilt
