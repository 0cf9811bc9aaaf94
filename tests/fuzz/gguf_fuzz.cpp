// Fuzzes the GGUF reader: any bytes give tensors inside the file, or Error(format) or Error(unsupported).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.h"
#include "weights/gguf/config.h"
#include "weights/gguf/dequantise.h"
#include "weights/gguf/file.h"
#include "weights/gguf/tokenizer.h"

namespace {

void check(const ilt::GgufTensor& tensor, std::span<const std::byte> file) {
  const ilt::GgufTensorLayout& layout = ilt::gguf_layout(tensor.type);
  const auto values = static_cast<std::size_t>(tensor.numel());
  if (tensor.bytes.size() != values / layout.block_values * layout.block_bytes) std::abort();
  if (tensor.bytes.data() < file.data() || tensor.bytes.data() + tensor.bytes.size() > file.data() + file.size())
    std::abort();
  if (!layout.readable) return;
  std::vector<float> out(values);
  ilt::dequantise(tensor.type, tensor.bytes, out);
}

// The metadata in Hugging Face's terms.
void translate(const ilt::GgufContent& content) {
  const auto attempt = [](auto make) {
    try {
      make();
    } catch (const ilt::Error& e) {
      if (e.status() != ilt::Status::format && e.status() != ilt::Status::unsupported) std::abort();
    }
  };
  attempt([&] { ilt::gguf_config(content); });
  attempt([&] { ilt::gguf_generation_config(content.metadata); });
  attempt([&] { ilt::gguf_tokenizer_json(content.metadata); });
  attempt([&] { ilt::gguf_tokenizer_config(content.metadata); });
}

void read_all(const ilt::GgufMetadata& metadata) {
  for (const std::string& key : metadata.keys()) {
    const auto attempt = [&](auto read) {
      try {
        read();
      } catch (const ilt::Error& e) {
        if (e.status() != ilt::Status::format) std::abort();
      }
    };
    attempt([&] { metadata.number(key); });
    attempt([&] { metadata.boolean_or(key, false); });
    attempt([&] { metadata.text(key); });
    attempt([&] { metadata.texts(key); });
    attempt([&] { metadata.integers(key); });
    attempt([&] { metadata.floats(key); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  try {
    const ilt::GgufContent content = ilt::read_gguf(file, "fuzz");
    for (const auto& [name, tensor] : content.tensors) check(tensor, file);
    read_all(content.metadata);
    translate(content);
  } catch (const ilt::Error& e) {
    if (e.status() != ilt::Status::format && e.status() != ilt::Status::unsupported) std::abort();
  }
  return 0;
}
