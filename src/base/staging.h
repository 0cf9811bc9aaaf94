// What is on its way to its place, or out of it: names beside the place that a later process can tell for abandoned.
#pragma once

#include <filesystem>

namespace ilt {

// "NAME.tmp-HOST-PID-NUMBER": no two are the same, in this process or another one.
std::filesystem::path staging_path(const std::filesystem::path& final_path);

// The lock of a staged folder, which its process holds while it lives; -1 where another one has it.
int lock_staged(const std::filesystem::path& folder);

// Makes a file or folder durable. Throws io; that a file system cannot sync folders is no error.
void sync_path(const std::filesystem::path& path);

// Removes a folder so that at no moment half of it has its name: what a kill leaves is found by
// remove_abandoned_staging(). Throws io.
void remove_folder(const std::filesystem::path& folder);

}  // namespace ilt
