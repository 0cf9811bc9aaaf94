// Plain, gzip (zlib) and zstd files.
#include "data/byte_source.h"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "data/columnar/rows.h"

namespace ilt {
namespace {

constexpr std::size_t chunk_bytes = 1 << 16;

[[noreturn]] void fail_packed(const fs::path& path, const char* kind, std::uint64_t at, const std::string& why) {
  throw Error(Status::data, fmt::format("{}: the {} data are {} (near byte {})", path.string(), kind, why, at),
              {{"file", path.string()}, {"byte", at}});
}

class Plain final : public ByteSource {
 public:
  explicit Plain(InputFile file) : file_(std::move(file)) {}
  std::size_t read(std::span<char> buffer) override { return file_.read(buffer); }
  std::uint64_t position() const override { return file_.offset(); }

 private:
  InputFile file_;
};

// What both packed kinds share: the packed bytes at hand.
class Packed : public ByteSource {
 public:
  explicit Packed(InputFile file) : file_(std::move(file)), chunk_(chunk_bytes) {}
  std::uint64_t position() const override { return file_.offset(); }

 protected:
  // More packed bytes; empty at the end of the file.
  std::span<char> refill() { return std::span(chunk_).first(file_.read(chunk_)); }
  const fs::path& path() const { return file_.path(); }

 private:
  InputFile file_;
  std::vector<char> chunk_;
};

class Gzip final : public Packed {
 public:
  explicit Gzip(InputFile file) : Packed(std::move(file)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::size_t read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out == buffer.size()) {
      if (stream_.avail_in == 0 && !next_chunk()) break;
      if (ended_) inflateReset(&stream_);  // files may be members put end to end
      const int code = inflate(&stream_, Z_NO_FLUSH);
      ended_ = code == Z_STREAM_END;
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        fail_packed(path(), "gzip", position(), stream_.msg != nullptr ? stream_.msg : "broken");
      }
    }
    return buffer.size() - stream_.avail_out;
  }

 private:
  bool next_chunk() {
    const auto chunk = refill();
    if (chunk.empty() && !ended_) fail_packed(path(), "gzip", position(), "cut short");
    stream_.next_in = reinterpret_cast<Bytef*>(chunk.data());
    stream_.avail_in = static_cast<uInt>(chunk.size());
    return !chunk.empty();
  }

  z_stream stream_{};
  bool ended_ = false;
};

class Zstd final : public Packed {
 public:
  explicit Zstd(InputFile file) : Packed(std::move(file)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !next_chunk()) break;
      const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(code) != 0) fail_packed(path(), "zstd", position(), ZSTD_getErrorName(code));
      open_frame_ = code != 0;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool next_chunk() {
    const auto chunk = refill();
    // The decoder may still hold output for a last call without input.
    if (chunk.empty() && open_frame_) {
      if (at_end_) fail_packed(path(), "zstd", position(), "cut short");
      at_end_ = true;
      return true;
    }
    in_ = {chunk.data(), chunk.size(), 0};
    return !chunk.empty();
  }

  std::unique_ptr<ZSTD_DStream, Free> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool open_frame_ = false;
  bool at_end_ = false;
};

// Files that are often taken for JSON Lines, known by their first bytes.
void refuse_other_formats(std::string_view head, const std::string& file) {
  struct Magic {
    std::string_view bytes;
    const char* what;
  };
  using namespace std::string_view_literals;
  for (const auto& [bytes, what] : {Magic{"PK\x03\x04"sv, "a zip archive; unpack it first"},
                                    Magic{"\xFF\xFE"sv, "UTF-16 text; convert it to UTF-8"},
                                    Magic{"\xFE\xFF"sv, "UTF-16 text; convert it to UTF-8"}}) {
    if (head.starts_with(bytes)) {
      throw Error(Status::data, fmt::format("{} is {}", file, what), {{"file", file}, {"line", 1}});
    }
  }
}

// Parquet, an Arrow file, or an Arrow stream, which is what `datasets` keeps.
bool looks_columnar(std::string_view head) {
  return head.starts_with("PAR1") || head.starts_with("ARROW1") || head.starts_with("\xFF\xFF\xFF\xFF");
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const fs::path& path) {
  std::array<char, 8> start{};
  std::string_view head;
  {
    InputFile file(path);
    head = {start.data(), file.read(start)};
  }
  refuse_other_formats(head, path.string());
  if (looks_columnar(head)) return open_rows(path);
  if (head.starts_with("\x1F\x8B")) return std::make_unique<Gzip>(InputFile(path));
  if (head.starts_with("\x28\xB5\x2F\xFD")) return std::make_unique<Zstd>(InputFile(path));
  return std::make_unique<Plain>(InputFile(path));
}

}  // namespace ilt
