// The page that ilt data inspect --html writes: one file, no scripts, nothing loaded from elsewhere.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "cli/data/pieces.h"

namespace ilt_cli {

class Page {
 public:
  explicit Page(const std::string& path);
  // A sample: its tokens apart, the learnt ones on green; pointing at one tells its id.
  void add(std::int64_t index, const std::vector<Piece>& pieces);
  // Throws where the file could not be written.
  void close();

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace ilt_cli
