// MetricsFile: each record goes out with one write(2) to a file opened for appending.
#include "observe/metrics_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace ilt {
namespace {

[[noreturn]] void fail_errno(std::string_view what, const std::filesystem::path& path, int code) {
  throw Error(
      Status::io,
      fmt::format("cannot {} the metrics file '{}': {}", what, path.string(), std::generic_category().message(code)),
      {{"file", path.string()}, {"errno", code}});
}

// A run that was killed within a write may have left half a line: what follows must not be glued to it.
bool ends_within_a_line(int fd) {
  const auto size = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  return size > 0 && ::pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path, const Json& parameters) : path_(path) {
  std::error_code code;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
  if (code) fail_errno("create a folder for", path, code.value());
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) fail_errno("open", path, errno);
  try {
    if (ends_within_a_line(fd_) && ::write(fd_, "\n", 1) != 1) fail_errno("write", path, errno);
    append(parameters);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

MetricsFile::~MetricsFile() {
  ::close(fd_);
}

void MetricsFile::append(const Json& record) {
  const std::string line = to_line(record) + '\n';
  std::size_t written = 0;
  while (written < line.size()) {
    const auto n = ::write(fd_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    written += static_cast<std::size_t>(n);
  }
  if (written == line.size()) return;
  // A disk that fills up within the line: take the half line back, so that the file stays valid.
  const int code = errno;
  const auto end = ::lseek(fd_, 0, SEEK_END);
  const auto half = static_cast<off_t>(written);
  if (half > 0 && end >= half && ::ftruncate(fd_, end - half) != 0) fail_errno("shorten", path_, errno);
  fail_errno("write", path_, code);
}

}  // namespace ilt
