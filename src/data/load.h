// Reads records from files, renders, tokenises and masks them: files to a Dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "data/dataset.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ilt {

enum class Overlong { drop, truncate, error };

struct LoadOptions {
  std::int64_t max_seq_len = 0;  // 0: no limit; inclusive
  Overlong overlong = Overlong::drop;
  std::int64_t max_bad_records = 0;  // more than that: the first one's error is thrown
  int threads = 0;                   // 0: one a core; the result does not depend on it
};

// `chat` may be null when every file holds processed records (input_ids, labels) or documents.
// Throws data naming file, line and reason; an empty result is an error too.
Dataset load_dataset(std::span<const std::string> paths, const Tokenizer& tokenizer, const ChatTemplate* chat,
                     const LoadOptions& options, const CancelToken& cancel = {});

}  // namespace ilt
