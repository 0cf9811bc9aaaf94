// JSON Lines files: their lines, and a line's JSON object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/files.h"
#include "base/json.h"
#include "data/record_error.h"

namespace ilt {

struct Line {
  std::string_view text;
  std::int64_t number = 0;  // from 1, blank lines counted
};

// A memory-mapped file read line by line: split at LF, a CR before it taken off, blank lines passed over, a byte order
// mark at byte 0 passed over. Lines may have any length; the last one needs no LF.
class JsonlReader {
 public:
  explicit JsonlReader(const std::filesystem::path& path);

  // False at the end. `line.text` lives as long as the reader.
  bool next(Line& line);

 private:
  MappedFile file_;
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// The object on a line. Throws data with the byte column (from 1) where the text is no UTF-8, no JSON or no object.
Json parse_record(const Line& line, const Place& place);

}  // namespace ilt
