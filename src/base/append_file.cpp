// Buffered appending, with the fingerprint kept as the bytes pass.
#include "base/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

void write_all(int fd, const fs::path& path, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno("write", path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

}  // namespace

AppendFile::AppendFile(const fs::path& path, std::uint64_t size, std::uint64_t reserved)
    : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)), size_(std::max(size, reserved)) {
  if (fd_ < 0) fail_errno("create", path, errno);
  try {
    struct stat info{};
    if (::fstat(fd_, &info) != 0) fail_errno("examine", path, errno);
    if (size > static_cast<std::uint64_t>(info.st_size)) {
      throw Error(Status::io, fmt::format("'{}' is shorter than the {} bytes that were written", path.string(), size),
                  {{"file", path.string()}, {"expected", size}});
    }
    if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) fail_errno("write", path, errno);
    hash_existing(reserved);
  } catch (...) {
    ::close(fd_);
    throw;
  }
  buffer_.reserve(buffer_bytes);
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

void AppendFile::hash_existing(std::uint64_t reserved) {
  std::vector<std::byte> chunk(buffer_bytes);
  for (std::uint64_t at = reserved; at < size_;) {
    const auto n =
        ::pread(fd_, chunk.data(), std::min<std::uint64_t>(chunk.size(), size_ - at), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_errno("read", path_, n < 0 ? errno : EIO);
    hasher_.add(std::span(chunk).first(static_cast<std::size_t>(n)));
    at += static_cast<std::uint64_t>(n);
  }
}

void AppendFile::append(std::span<const std::byte> bytes) {
  hasher_.add(bytes);
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  size_ += bytes.size();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AppendFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  flush();
  write_all(fd_, path_, offset, bytes);
}

void AppendFile::sync() {
  flush();
  if (::fdatasync(fd_) != 0) fail_errno("write", path_, errno);
}

void AppendFile::flush() {
  write_all(fd_, path_, size_ - buffer_.size(), buffer_);
  buffer_.clear();
}

}  // namespace ilt
