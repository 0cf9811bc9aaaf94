// Parquet and Arrow files as a source of JSON Lines: a row is a line. read.cpp is compiled where the build has them
// (ILT_PARQUET), refuse.cpp elsewhere.
#pragma once

#include <filesystem>
#include <memory>

#include "data/byte_source.h"

namespace ilt {

// Throws data: where the file is broken, naming rows, and in a build without, saying what to do.
std::unique_ptr<ByteSource> open_rows(const std::filesystem::path& path);

}  // namespace ilt
