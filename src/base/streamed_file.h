// A large file written in order: each part goes to the disk while the next one is being made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <span>

namespace ilt {

// Goes past the page cache where the system can (O_DIRECT): a checkpoint is written once, not read back, and its copy
// would cost the processor more than all else of a save. Two blocks of memory, one thread at a time.
class StreamedFile {
 public:
  static constexpr std::size_t default_block = 16 << 20;

  // Throws io. block: a multiple of 4096.
  explicit StreamedFile(const std::filesystem::path& path, std::size_t block = default_block);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  // Throws io, naming the path, also for what was given before.
  void write(std::span<const std::byte> bytes);
  std::uint64_t offset() const noexcept { return offset_; }
  // Writes what is left, fsyncs and closes.
  void close();

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  using Block = std::unique_ptr<std::byte[], Free>;

  void flush();
  void write_block(const std::byte* data, std::size_t count);
  void leave_direct();

  std::filesystem::path path_;
  int fd_ = -1;
  bool direct_ = false;
  std::size_t block_;
  std::uint64_t offset_ = 0;
  Block filling_, writing_;
  std::size_t filled_ = 0;
  std::future<void> under_way_;  // of writing_
};

}  // namespace ilt
