// Rows through the Rust crates parquet and arrow.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "data/columnar/rows.h"
#include "text/rust_string.h"

namespace ilt {
namespace {

class Rows final : public ByteSource {
 public:
  explicit Rows(const fs::path& path) : path_(path) {
    const InputFile file(path);  // throws not_found and io
    RustString error;
    const std::string name = path.string();
    if (ilt_text_rows_open(name.data(), name.size(), &handle_, error.out()) != 0) broken(error.view());
  }
  ~Rows() override { ilt_text_rows_free(handle_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  std::size_t read(std::span<char> buffer) override {
    if (rest_.empty()) {
      RustString lines;
      RustString error;
      if (ilt_text_rows_next(handle_, lines.out(), error.out()) != 0) broken(error.view());
      lines_ = lines.str();
      rest_ = lines_;
    }
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::memcpy(buffer.data(), rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }
  std::uint64_t position() const override { return ilt_text_rows_position(handle_); }
  const char* unit() const override { return "row"; }

 private:
  [[noreturn]] void broken(std::string_view why) const {
    throw Error(Status::data, fmt::format("{}: cannot read the Parquet or Arrow data: {}", path_.string(), why),
                {{"file", path_.string()}});
  }

  fs::path path_;
  ilt_text_rows* handle_ = nullptr;
  std::string lines_;
  std::string_view rest_;  // of lines_: what is still to be read
};

}  // namespace

std::unique_ptr<ByteSource> open_rows(const fs::path& path) {
  return std::make_unique<Rows>(path);
}

}  // namespace ilt
