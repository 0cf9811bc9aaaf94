// Writing safetensors: the header first, then the tensors' bytes as they come.
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "weights/safetensors.h"

namespace ilt {

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::vector<Entry> entries,
                                     const std::map<std::string, std::string>& metadata)
    : file_(path) {
  // Put together as text: an ordered JSON object looks each key up among all before it.
  std::string text = "{";
  if (!metadata.empty()) text += "\"__metadata__\":" + to_line(Json(metadata));
  std::set<std::string_view> names;
  std::uint64_t end = 0;
  for (const Entry& e : entries) {
    if (!names.insert(e.name).second) fail(Status::internal, "safetensors: the tensor '{}' is written twice", e.name);
    const std::uint64_t begin = end;
    end += e.info.num_bytes();
    const Json entry = {{"dtype", dtype_name(e.info.dtype)}, {"shape", e.info.shape}, {"data_offsets", {begin, end}}};
    text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", to_line(Json(e.name)), to_line(entry));
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');  // tensors begin at a multiple of 8
  const std::uint64_t length = text.size();
  put(std::as_bytes(std::span(&length, 1)));
  put(std::as_bytes(std::span(text)));
  end_ = file_.offset() + end;
}

void SafetensorsWriter::write(std::span<const std::byte> bytes) {
  if (bytes.size() > end_ - file_.offset())
    fail(Status::internal, "safetensors: {} bytes too many", bytes.size() - (end_ - file_.offset()));
  put(bytes);
}

void SafetensorsWriter::put(std::span<const std::byte> bytes) {
  hasher_.add(bytes);
  file_.write(bytes);
}

void SafetensorsWriter::finish() {
  if (file_.offset() != end_) fail(Status::internal, "safetensors: {} bytes are missing", end_ - file_.offset());
  file_.close();
}

}  // namespace ilt
