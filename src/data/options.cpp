// Options as JSON, for the processed file and for going on with an interrupted run.
#include "data/options.h"

namespace ilt {

Json to_json(const DataOptions& options) {
  constexpr const char* overlong[] = {"drop", "truncate", "error"};
  constexpr const char* train_on[] = {"assistant", "last_turn", "all"};
  return {{"max_seq_len", options.max_seq_len},
          {"min_seq_len", options.min_seq_len},
          {"overlong", overlong[static_cast<int>(options.overlong)]},
          {"whole_documents", options.whole_documents},
          {"train_on", train_on[static_cast<int>(options.train_on)]},
          {"max_bad_records", options.max_bad_records}};
}

}  // namespace ilt
