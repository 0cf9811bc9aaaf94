// Files: whole reads, memory maps, and folders that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ilt {

namespace fs = std::filesystem;

// Throws not_found or io: "cannot WHAT 'PATH': REASON", with what to do where that is known.
[[noreturn]] void fail_errno(std::string_view what, const fs::path& path, int code);

// Whether something is there; false only where the system says that nothing is. Throws io where it cannot tell (no
// permission, a loop of links), and not_found for a link that leads nowhere.
bool file_exists(const fs::path& path);
// Whether it is a folder, with the same errors.
bool is_folder(const fs::path& path);
// What a folder holds, by name. Throws not_found or io.
std::vector<fs::path> folder_entries(const fs::path& folder);
// The absolute path, without . and .. where they can be told from names alone, and without a slash at its end.
fs::path full_path(const fs::path& path);

// A regular file read in order.
class InputFile {
 public:
  explicit InputFile(const fs::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  // As many bytes as the buffer takes, fewer only at the end of the file.
  std::size_t read(std::span<char> buffer);
  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t size() const noexcept { return size_; }  // when it was opened
  int descriptor() const noexcept { return fd_; }
  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
  int fd_ = -1;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
};

// Reads a whole file. Throws not_found or io with the path and what to do.
std::string read_file(const fs::path& path);

// Writes, fsyncs and closes; throws io naming the path and the system's reason (a full disk says so).
void write_file(const fs::path& path, std::string_view bytes);

// A file mapped read-only; empty files map to an empty span.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// A file written in order, fsynced by close(); the destructor closes without complaint.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  std::uint64_t offset() const noexcept { return offset_; }
  void close();

 private:
  fs::path path_;
  int fd_ = -1;
  std::uint64_t offset_ = 0;
};

// Fsyncs a file that was written and closes it, whatever becomes of the first; throws io naming the path.
void sync_and_close(int descriptor, const fs::path& path);

// Throws io or invalid_argument where a folder of this name must not be replaced: a file, the folder that the process
// works in or one above it, or a folder that holds something but no `mark`, the file that tells it for one of its kind
// (an empty mark: whatever it holds).
void require_replaceable(const fs::path& final_path, std::string_view mark);

// A folder built beside its final place and renamed into it by publish(); removed if that is never reached.
// An existing folder at `final_path` is replaced only at the rename, and only if require_replaceable() allows it.
class StagedFolder {
 public:
  StagedFolder(const fs::path& final_path, std::string_view mark);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const fs::path& path() const noexcept { return staging_; }
  void publish();

 private:
  fs::path final_;
  std::string mark_;
  fs::path staging_;
  int lock_ = -1;  // held while this process fills the folder
  bool published_ = false;
};

// Removes the staging folders in `folder` whose process, on this host, has died. What cannot be removed stays.
void remove_abandoned_staging(const fs::path& folder);

// Throws io unless the file system of `folder` (or its nearest existing parent) has `bytes` free.
void require_free_space(const fs::path& folder, std::uint64_t bytes);

}  // namespace ilt
