// Double buffering over write(2), with and without O_DIRECT.
#include "base/streamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/files.h"
#include "base/quiet_thread.h"

namespace ilt {
namespace {

constexpr std::size_t alignment = 4096;  // what disks and file systems ask of direct writes, at most
constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;

std::byte* allocate(std::size_t bytes) {
  void* const memory = std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace

void StreamedFile::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

StreamedFile::StreamedFile(const fs::path& path, std::size_t block)
    : path_(path), block_(block), filling_(allocate(block)), writing_(allocate(block)) {
#ifdef O_DIRECT
  fd_ = ::open(path.c_str(), flags | O_DIRECT, 0666);
  direct_ = fd_ >= 0;
#endif
  if (fd_ < 0) fd_ = ::open(path.c_str(), flags, 0666);  // not every file system knows O_DIRECT
  if (fd_ < 0) fail_errno("create", path, errno);
}

StreamedFile::~StreamedFile() {
  if (under_way_.valid()) under_way_.wait();
  if (fd_ >= 0) ::close(fd_);
}

void StreamedFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), block_ - filled_);
    std::memcpy(filling_.get() + filled_, bytes.data(), count);
    filled_ += count;
    offset_ += count;
    bytes = bytes.subspan(count);
    if (filled_ == block_) flush();
  }
}

// The block that is full goes on its way once the one before it has arrived.
void StreamedFile::flush() {
  if (under_way_.valid()) under_way_.get();
  std::swap(filling_, writing_);
  const std::size_t count = std::exchange(filled_, 0);
  under_way_ = run_quietly([this, count] { write_block(writing_.get(), count); });
}

void StreamedFile::write_block(const std::byte* data, std::size_t count) {
  while (count > 0) {
    if (count % alignment != 0) leave_direct();  // the end of the file, or what a short write has left
    const auto n = ::write(fd_, data, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EINVAL && direct_) {
      leave_direct();
      continue;
    }
    if (n < 0) fail_errno("write", path_, errno);
    data += n;
    count -= static_cast<std::size_t>(n);
  }
}

void StreamedFile::leave_direct() {
#ifdef O_DIRECT
  if (!direct_) return;
  const int now = ::fcntl(fd_, F_GETFL);
  if (now < 0 || ::fcntl(fd_, F_SETFL, now & ~O_DIRECT) != 0) fail_errno("write", path_, errno);
  direct_ = false;
#endif
}

void StreamedFile::close() {
  flush();
  under_way_.get();
  sync_and_close(std::exchange(fd_, -1), path_);
}

}  // namespace ilt
