// The build without Parquet and Arrow says so.
#include "base/error.h"
#include "data/columnar/rows.h"

namespace ilt {

std::unique_ptr<ByteSource> open_rows(const std::filesystem::path& path) {
  throw Error(
      Status::data,
      fmt::format("{} is Parquet or Arrow, which this build of libilt does not read: convert it to JSON Lines, or "
                  "build libilt with -DILT_PARQUET=ON",
                  path.string()),
      {{"file", path.string()}, {"line", 1}});
}

}  // namespace ilt
