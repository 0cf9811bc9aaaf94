// Fuzzes Parquet and Arrow files: any bytes give lines or Error(data), and reserve no more memory than small machines
// have.
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "data/jsonl.h"
#include "scratch_file.h"

namespace {

constexpr rlim_t address_space = 8UL << 30;
constexpr int max_batches = 100;  // a broken number of rows may give that many empty ones

void limit_memory() {
  const rlimit limit{address_space, address_space};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ilt::fuzz::ScratchFile file(".columnar");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes
  static const bool limited = (limit_memory(), true);
  if (!limited) std::abort();
#endif
  try {
    ilt::JsonlReader reader(file.write(data, size));
    ilt::LineBatch batch;
    for (int i = 0; i < max_batches && reader.next(batch, 1 << 16); ++i) {
      for (const ilt::Line& line : batch.lines) {
        ilt::parse_record(line, {"fuzz", line.number, reader.unit()});
      }
    }
  } catch (const ilt::Error& error) {
    if (error.status() != ilt::Status::data) std::abort();
  }
  return 0;
}
