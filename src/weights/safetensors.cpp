// Reading safetensors: the whole header is checked before any tensor is handed out.
#include "weights/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/json.h"

namespace ilt {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian, and read in place");

constexpr std::uint64_t max_header = 100'000'000;  // the format's own limit
constexpr std::size_t prefix = 8;                  // the header's length

[[noreturn]] void fail_file(const fs::path& path, const std::string& why) {
  throw Error(Status::format, fmt::format("{}: broken safetensors file: {}", path.string(), why),
              {{"file", path.string()}, {"reason", why}});
}

// nlohmann keeps the last of two equal keys; the format forbids them.
Json parse_header(const fs::path& path, std::string_view text) {
  std::set<std::string> names;
  std::string twice;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return depth <= 4;
  };
  Json header;
  try {
    header = Json::parse(text, watch);
  } catch (const Json::exception& e) {
    fail_file(path, fmt::format("its header is no valid JSON ({})", e.what()));
  }
  if (!header.is_object()) fail_file(path, "its header is no JSON object");
  if (!twice.empty()) fail_file(path, fmt::format("the tensor '{}' occurs twice in the header", twice));
  return header;
}

struct Range {
  std::uint64_t begin, end;
  std::string name;
};

bool is_count(const Json& value) { return value.is_number_unsigned(); }

TensorInfo read_info(const fs::path& path, const std::string& name, const Json& entry) {
  TensorInfo info;
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets"))
    fail_file(path, fmt::format("the entry of '{}' is not {{dtype, shape, data_offsets}}", name));
  if (!entry["dtype"].is_string()) fail_file(path, fmt::format("the dtype of '{}' is no string", name));
  const auto dtype = entry["dtype"].get<std::string>();
  try {
    info.dtype = parse_dtype(dtype);
  } catch (const Error& e) {
    fail_file(path, fmt::format("tensor '{}': {}", name, e.what()));
  }
  if (!entry["shape"].is_array()) fail_file(path, fmt::format("the shape of '{}' is no array", name));
  std::uint64_t bytes = dtype_size(info.dtype);
  for (const Json& dim : entry["shape"]) {
    if (!is_count(dim) || dim.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      fail_file(path, fmt::format("the shape of '{}' is {}", name, to_line(entry["shape"])));
    info.shape.push_back(dim.get<std::int64_t>());
    if (__builtin_mul_overflow(bytes, dim.get<std::uint64_t>(), &bytes))
      fail_file(path, fmt::format("the shape of '{}' is larger than memory: {}", name, to_line(entry["shape"])));
  }
  return info;
}

Range read_range(const fs::path& path, const std::string& name, const Json& entry, const TensorInfo& info) {
  const Json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !is_count(offsets[0]) || !is_count(offsets[1]))
    fail_file(path, fmt::format("the data_offsets of '{}' are {}", name, to_line(offsets)));
  const Range range{offsets[0].get<std::uint64_t>(), offsets[1].get<std::uint64_t>(), name};
  if (range.end < range.begin || range.end - range.begin != info.num_bytes())
    fail_file(path, fmt::format("'{}' has the data_offsets {}, but its shape needs {} bytes", name, to_line(offsets),
                                info.num_bytes()));
  return range;
}

// The tensors fill the file without hole or overlap.
void require_filled(const fs::path& path, std::vector<Range> ranges, std::uint64_t size) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (const Range& r : ranges) {
    if (r.begin != end)
      fail_file(path, fmt::format("'{}' begins at byte {} of the data, expected {} (a hole or an overlap)", r.name,
                                  r.begin, end));
    end = r.end;
  }
  if (end > size)
    fail_file(path, fmt::format("it is truncated: the header asks for {} bytes of data, the file has {}; download or "
                                "copy it again",
                                end, size));
  if (end < size) fail_file(path, fmt::format("{} bytes behind the last tensor belong to nothing", size - end));
}

}  // namespace

std::int64_t TensorInfo::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

std::uint64_t TensorInfo::num_bytes() const { return static_cast<std::uint64_t>(numel()) * dtype_size(dtype); }

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  if (bytes.size() < prefix)
    fail_file(path, fmt::format("it has {} bytes, too few for a header; download or copy it again", bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), prefix);
  if (length > max_header) fail_file(path, fmt::format("its header claims {} bytes (the limit is {})", length, max_header));
  if (length > bytes.size() - prefix)
    fail_file(path, fmt::format("its header claims {} bytes, the file has {}; it is truncated or no safetensors file",
                                length, bytes.size() - prefix));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + prefix, length);
  const Json header = parse_header(path, text);
  const std::span<const std::byte> data = bytes.subspan(prefix + length);
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object()) fail_file(path, "__metadata__ is no object");
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) fail_file(path, fmt::format("__metadata__: the value of '{}' is no string", key));
        metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    const TensorInfo info = read_info(path, name, entry);
    const Range range = read_range(path, name, entry, info);
    ranges.push_back(range);
    if (range.end <= data.size())
      tensors_[name] = {info, data.subspan(range.begin, range.end - range.begin)};
  }
  require_filled(path, std::move(ranges), data.size());
}

}  // namespace ilt
