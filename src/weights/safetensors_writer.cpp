// Writing safetensors: the header first, then the tensors' bytes as they come.
#include <cstring>

#include "base/error.h"
#include "base/json.h"
#include "weights/safetensors.h"

namespace ilt {

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::vector<Entry> entries,
                                     const std::map<std::string, std::string>& metadata)
    : file_(path) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t end = 0;
  for (const Entry& e : entries) {
    const std::uint64_t begin = end;
    end += e.info.num_bytes();
    header[e.name] = {{"dtype", dtype_name(e.info.dtype)}, {"shape", e.info.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // tensors begin at a multiple of 8
  const std::uint64_t length = text.size();
  file_.write(std::as_bytes(std::span(&length, 1)));
  file_.write(text);
  end_ = file_.offset() + end;
}

void SafetensorsWriter::write(std::span<const std::byte> bytes) {
  if (bytes.size() > end_ - file_.offset())
    fail(Status::internal, "safetensors: {} bytes too many", bytes.size() - (end_ - file_.offset()));
  file_.write(bytes);
}

void SafetensorsWriter::finish() {
  if (file_.offset() != end_) fail(Status::internal, "safetensors: {} bytes are missing", end_ - file_.offset());
  file_.close();
}

}  // namespace ilt
