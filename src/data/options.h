// How records become samples.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace ilt {

enum class Overlong { drop, truncate, error };
enum class TrainOn {
  assistant,  // what assistants say, as records and messages choose
  last_turn,  // of that, the last assistant message only
  all,        // every token
};

struct DataOptions {
  std::int64_t max_seq_len = 0;  // 0: no limit; inclusive
  std::int64_t min_seq_len = 0;  // inclusive
  Overlong overlong = Overlong::drop;
  bool whole_documents = false;  // documents of any length: they will be cut into blocks
  TrainOn train_on = TrainOn::assistant;
  std::int64_t max_bad_records = 0;  // more than that: the first one's error is thrown
  std::int64_t vocab = 0;            // rows of the model: a record with a token beyond is faulty; 0: any token
  int threads = 0;                   // 0: one a core; the result does not depend on it
};

// What the result depends on.
Json to_json(const DataOptions& options);

}  // namespace ilt
