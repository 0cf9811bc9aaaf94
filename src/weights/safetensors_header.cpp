// Checks of a whole safetensors file: its header's length, each tensor's size, and that tensors fill the data exactly.
#include "weights/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "weights/safetensors_fault.h"
#include "weights/safetensors_parser.h"

namespace ilt {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian, and read in place");

constexpr std::uint64_t max_header = 100'000'000;  // the format's own limit
constexpr std::size_t prefix = 8;                  // the header's length, as a number
constexpr std::string_view truncated = "the file is truncated: download or copy it again";

// What people have under the name of a safetensors file, by its first bytes.
struct Lookalike {
  std::string_view magic, found, advice;
};
constexpr std::array lookalikes = {
    Lookalike{"version https://git-lfs", "a Git LFS pointer", "fetch the file itself with `git lfs pull`"},
    Lookalike{"PK\x03\x04", "a PyTorch or zip archive", "convert it to safetensors"},
    Lookalike{"GGUF", "a GGUF file", "give it a name that ends in .gguf, and that as the model"},
    Lookalike{"<!DOCTYPE", "a web page", "the download went wrong: download it again"},
    Lookalike{"<html", "a web page", "the download went wrong: download it again"},
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void refuse_lookalikes(std::string_view file, const fs::path& path) {
  for (const Lookalike& l : lookalikes)
    if (file.starts_with(l.magic))
      fail_safetensors(path, {"the file", std::string(l.found), "a safetensors file", l.advice});
}

std::string_view header_of(std::string_view file, const fs::path& path) {
  if (file.size() < prefix)
    fail_safetensors(path, {"the file", fmt::format("{} bytes", file.size()), "8 bytes and a header", truncated});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), prefix);
  if (length > max_header)
    fail_safetensors(path,
                     {"the header's length", fmt::format("{} bytes", length), fmt::format("at most {}", max_header)});
  if (length > file.size() - prefix)
    fail_safetensors(path, {"the header's length", fmt::format("{} bytes in a file of {}", length, file.size()),
                            "a header inside the file", truncated});
  const std::string_view header = file.substr(prefix, length);
  // The parser takes a zero byte for the end of its input.
  if (!header.starts_with('{') || header.find('\0') != std::string_view::npos)
    fail_safetensors(path, {"the header", "other text", "a JSON object"});
  return header;
}

// The tensor's bytes by its shape; at most 2^63 - 1, so that no later arithmetic overflows.
std::uint64_t checked_size(const HeaderEntry& entry, const fs::path& path) {
  auto bytes = static_cast<std::int64_t>(dtype_size(entry.info.dtype));
  for (const std::int64_t dim : entry.info.shape)
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      fail_safetensors(path, {fmt::format("tensor {}: shape", shown_name(entry.name)), "more than 2^63 bytes",
                              "a size that a file can have", SafetensorsFault{}.advice, entry.name});
  return static_cast<std::uint64_t>(bytes);
}

// Ends in order, without hole or overlap, and the last one is the file's.
void require_filled(const std::vector<HeaderEntry>& entries, std::uint64_t data_size, const fs::path& path) {
  std::uint64_t end = 0;
  for (const HeaderEntry& e : entries) {
    const std::string what = fmt::format("tensor {}: data_offsets", shown_name(e.name));
    const std::string found = fmt::format("[{}, {}]", e.begin, e.end);
    const std::uint64_t size = checked_size(e, path);
    if (e.end < e.begin || e.end - e.begin != size)
      fail_safetensors(
          path, {what, found, fmt::format("{} bytes, as its shape needs", size), SafetensorsFault{}.advice, e.name});
    if (e.begin != end)
      fail_safetensors(path,
                       {what, found, fmt::format("a start at {}, without {}", end, e.begin > end ? "hole" : "overlap"),
                        SafetensorsFault{}.advice, e.name});
    if (e.end > data_size)
      fail_safetensors(path, {what, fmt::format("{} in a file with {} bytes of data", found, data_size),
                              "data inside the file", truncated, e.name});
    end = e.end;
  }
  if (end != data_size)
    fail_safetensors(path, {"the end", fmt::format("{} bytes behind the last tensor", data_size - end), "none"});
}

}  // namespace

SafetensorsContent read_safetensors(std::span<const std::byte> file, const std::filesystem::path& path) {
  refuse_lookalikes(text_of(file), path);
  const std::string_view header = header_of(text_of(file), path);
  SafetensorsParser parser(path);
  Json::sax_parse(header.begin(), header.end(), &parser);
  std::vector<HeaderEntry>& entries = parser.entries();
  std::sort(entries.begin(), entries.end(), [](const HeaderEntry& a, const HeaderEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const auto data = file.subspan(prefix + header.size());
  require_filled(entries, data.size(), path);

  SafetensorsContent content;
  content.metadata = std::move(parser.metadata());
  for (HeaderEntry& e : entries) content.tensors[e.name] = {std::move(e.info), data.subspan(e.begin, e.end - e.begin)};
  return content;
}

}  // namespace ilt
