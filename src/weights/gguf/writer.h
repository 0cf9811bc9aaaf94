// Writing GGUF, version 3: metadata and tensors' entries are gathered, then the tensors' bytes follow as they come.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/streamed_file.h"
#include "weights/gguf/types.h"

namespace ilt {

// All that comes before the data.
class GgufHead {
 public:
  void add_text(const std::string& key, std::string_view value);
  void add_u32(const std::string& key, std::uint32_t value);
  void add_f32(const std::string& key, float value);
  void add_boolean(const std::string& key, bool value);
  void add_texts(const std::string& key, const std::vector<std::string>& values);
  void add_i32s(const std::string& key, const std::vector<std::int32_t>& values);
  void add_f32s(const std::string& key, const std::vector<float>& values);

  // `shape` has the outermost dimension first. Tensors lie in the order in which they were added.
  void add_tensor(std::string_view name, GgufTensorType type, const std::vector<std::int64_t>& shape);

  std::string bytes() const;  // up to where the data begins
  std::uint64_t data_bytes() const noexcept { return data_; }

 private:
  void add_key(const std::string& key, GgufValueType type);
  void add_array(const std::string& key, GgufValueType type, std::uint64_t count);

  std::string values_, entries_;
  std::uint64_t value_count_ = 0, tensor_count_ = 0;
  std::uint64_t data_ = 0;
};

// A file that appears under its name when it is finished; what was written is removed where that is never reached.
class GgufWriter {
 public:
  GgufWriter(const fs::path& path, const GgufHead& head);
  ~GgufWriter();
  GgufWriter(const GgufWriter&) = delete;
  GgufWriter& operator=(const GgufWriter&) = delete;

  // The next bytes of the current tensor.
  void write(std::span<const std::byte> bytes);
  // The next tensor begins at the next aligned place.
  void end_tensor();
  // Throws internal if bytes are missing; fsyncs, and renames.
  void finish();

 private:
  fs::path path_, staged_;
  std::optional<StreamedFile> file_;
  std::uint64_t begin_ = 0, end_ = 0;
};

}  // namespace ilt
