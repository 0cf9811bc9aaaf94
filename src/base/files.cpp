// Whole reads and writes, memory maps and free space, with errors that name the path and the reason.
#include "base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/error.h"

namespace ilt {

[[noreturn]] void fail_errno(std::string_view what, const fs::path& path, int code) {
  std::string_view advice;
  if (code == ENOSPC || code == EDQUOT) advice = " (free some space or choose another folder)";
  if (code == EACCES || code == EPERM || code == EROFS) advice = " (check the permissions)";
  throw Error(code == ENOENT ? Status::not_found : Status::io,
              fmt::format("cannot {} '{}': {}{}", what, path.string(), std::generic_category().message(code), advice),
              {{"file", path.string()}, {"errno", code}});
}

namespace {

// Whether something is there, and what; nothing where there is nothing.
std::optional<struct stat> examine(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) return info;
  const int code = errno;
  if (code == ENOENT && ::lstat(path.c_str(), &info) == 0)
    throw Error(Status::not_found, fmt::format("'{}' is a link to something that does not exist", path.string()),
                {{"file", path.string()}, {"errno", code}});
  if (code == ENOENT || code == ENOTDIR) return std::nullopt;
  fail_errno("examine", path, code);
}

}  // namespace

bool file_exists(const fs::path& path) {
  return examine(path).has_value();
}

bool is_folder(const fs::path& path) {
  const auto info = examine(path);
  return info && S_ISDIR(info->st_mode);
}

std::vector<fs::path> folder_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
    entries.push_back(it->path());
  if (code) fail_errno("read the folder", folder, code.value());
  std::sort(entries.begin(), entries.end());
  return entries;
}

fs::path full_path(const fs::path& path) {
  std::error_code code;
  fs::path full = fs::absolute(path, code).lexically_normal();
  if (code) fail_errno("find", path, code.value());
  return full.has_filename() ? full : full.parent_path();
}

InputFile::InputFile(const fs::path& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0) fail_errno("open", path, errno);
  struct stat info{};
  if (::fstat(fd_, &info) != 0) {
    const int code = errno;
    ::close(fd_);
    fail_errno("examine", path, code);
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd_);
    throw Error(Status::io,
                fmt::format("cannot read '{}': it is {}, not a file", path.string(),
                            S_ISDIR(info.st_mode) ? "a folder" : "a device or a pipe"),
                {{"file", path.string()}});
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), offset_(other.offset_), size_(other.size_) {}

std::size_t InputFile::read(std::span<char> buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const auto n = ::read(fd_, buffer.data() + done, buffer.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno("read", path_, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  offset_ += done;
  return done;
}

std::string read_file(const fs::path& path) {
  InputFile file(path);
  std::string text(file.size(), '\0');
  text.resize(file.read(text));  // it may have been shortened meanwhile
  return text;
}

void write_file(const fs::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.close();
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  const InputFile file(path);
  if (file.size() == 0) return;
  void* const address = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED) fail_errno("map", path, errno);
  data_ = static_cast<const std::byte*>(address);
  size_ = file.size();
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

OutputFile::OutputFile(const fs::path& path)
    : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (fd_ < 0) fail_errno("create", path, errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno("write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset_ += static_cast<std::uint64_t>(n);
  }
}

void OutputFile::close() {
  sync_and_close(std::exchange(fd_, -1), path_);
}

void sync_and_close(int descriptor, const fs::path& path) {
  int sync_code = 0;
  do {
    sync_code = ::fsync(descriptor) == 0 ? 0 : errno;
  } while (sync_code == EINTR);
  const int close_code = ::close(descriptor) == 0 ? 0 : errno;
  if (sync_code != 0 || close_code != 0) fail_errno("write", path, sync_code != 0 ? sync_code : close_code);
}

void require_free_space(const fs::path& folder, std::uint64_t bytes) {
  fs::path existing = full_path(folder);
  std::error_code code;
  while (!fs::exists(existing, code) && existing.has_relative_path()) existing = existing.parent_path();
  const auto space = fs::space(existing, code);
  if (code || space.available >= bytes) return;  // a file system that cannot tell: the write itself will
  throw Error(
      Status::io,
      fmt::format("not enough free space for '{}': {:.1f} MiB are needed, {:.1f} MiB are free (free some space or "
                  "choose another folder)",
                  folder.string(), static_cast<double>(bytes) / 1048576.0,
                  static_cast<double>(space.available) / 1048576.0),
      {{"file", folder.string()}, {"needed_bytes", bytes}, {"free_bytes", space.available}});
}

}  // namespace ilt
