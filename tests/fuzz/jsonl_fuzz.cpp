// Fuzzes the way from a data file to conversations: any bytes give records or Error(data), and nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "data/format.h"
#include "data/jsonl.h"
#include "data/to_conversation.h"
#include "scratch_file.h"

namespace {

template <typename Work>
void only_data_errors(Work work) {
  try {
    work();
  } catch (const ilt::Error& e) {
    if (e.status() != ilt::Status::data) std::abort();
  }
}

void check(const ilt::Line& line) {
  const ilt::Place place{"fuzz", line.number};
  const ilt::Json record = ilt::parse_record(line, place);
  const ilt::Format format = ilt::detect_format(record, place);
  ilt::unused_keys(format, record);
  if (format == ilt::Format::processed || format == ilt::Format::document) return;
  for (const bool last_turn_only : {false, true}) {
    const ilt::Conversation conversation = ilt::to_conversation(format, record, place, last_turn_only);
    if (conversation.messages.size() != conversation.train.size()) std::abort();
    conversation.messages.dump();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ilt::fuzz::ScratchFile file(".jsonl");
  constexpr std::size_t batch_bytes = 64;
  only_data_errors([&] {
    ilt::JsonlReader reader(file.write(data, size));
    std::int64_t last = 0;
    for (ilt::LineBatch batch; reader.next(batch, batch_bytes);) {
      for (const ilt::Line& line : batch.lines) {
        if (line.number <= last) std::abort();
        last = line.number;
        only_data_errors([&] { check(line); });
      }
    }
  });
  return 0;
}
