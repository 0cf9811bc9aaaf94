// Records or processed files to a data set in memory or in a map.
#pragma once

#include <span>
#include <string>

#include "base/cancel.h"
#include "data/dataset.h"
#include "data/options.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ilt {

// `chat` may be null when every file holds processed records (input_ids, labels) or documents.
// Throws data naming file, line and reason; an empty result is an error too.
Dataset load_dataset(std::span<const std::string> paths, const Tokenizer& tokenizer, const ChatTemplate* chat,
                     const DataOptions& options, const CancelToken& cancel = {});

// A processed file, mapped. Throws data unless it was made with this tokenizer.
Dataset open_dataset(const std::string& path, const Tokenizer& tokenizer);

}  // namespace ilt
