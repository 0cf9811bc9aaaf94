// Small files that change as a whole: a reader sees the old bytes or the new ones.
#pragma once

#include <filesystem>
#include <string_view>

namespace ilt {

// Writes beside the file, makes that durable, renames it, and makes that durable, too; what was written beside goes
// where this fails. Throws io.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ilt
