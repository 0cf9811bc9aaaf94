// JSON Lines files: their lines, batch by batch, and a line's JSON object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "data/byte_source.h"
#include "data/record_error.h"

namespace ilt {

struct Line {
  std::string_view text;
  std::int64_t number = 0;  // from 1, blank lines counted
};

// Some lines and the bytes that they are views of.
struct LineBatch {
  std::string bytes;
  std::vector<Line> lines;
};

// A file read line by line: split at LF, a CR before it taken off, blank lines passed over, a byte order mark at byte 0
// passed over. Lines may have any length; the last one needs no LF. Memory: one batch, and the line that it cuts.
class JsonlReader {
 public:
  explicit JsonlReader(const std::filesystem::path& path);

  // Lines of about `bytes` bytes in all, one at least. False at the end.
  bool next(LineBatch& batch, std::size_t bytes);
  // Passes over the lines up to and with this number.
  void skip_to(std::int64_t number);
  // How much of the file, as it lies on the disk, has been read.
  std::uint64_t position() const { return source_->position(); }
  // What the lines are in the file: "line" or "row".
  const char* unit() const { return source_->unit(); }

 private:
  bool fill(std::string& bytes, std::size_t wanted);
  void split(std::string_view text, std::vector<Line>& lines);

  std::unique_ptr<ByteSource> source_;
  std::string rest_;  // the beginning of a line whose end is still to be read
  std::int64_t number_ = 0;
  std::int64_t skip_to_ = 0;
  bool at_end_ = false;
};

// The object on a line. Throws data with the byte column (from 1) where the text is no UTF-8, no JSON or no object.
Json parse_record(const Line& line, const Place& place);

}  // namespace ilt
