// Broken safetensors files, one of each kind, with words that their error must hold.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ilt {

inline std::string safetensors_bytes(std::string_view header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file.append(header).append(data_bytes, '\1');
}

struct BrokenFile {
  std::string name;
  std::string bytes;
  std::string reason;
};

inline std::vector<BrokenFile> broken_files() {
  struct Header {
    std::string_view name, header;
    std::size_t data_bytes;
    std::string_view reason;
  };
  constexpr Header headers[] = {
      {"no JSON", R"({"a":)", 0, "a fault at byte"},
      {"empty header", "", 0, "a JSON object"},
      {"array", "[1,2]", 0, "a JSON object"},
      {"leading space", " {}", 0, "a JSON object"},
      {"text behind the object", "{}{}", 0, "a fault at byte"},
      {"zero byte behind the object", std::string_view("{}\0garbage", 10), 0, "a JSON object"},
      {"invalid UTF-8", "{\"\xff\":1}", 0, "a fault at byte"},
      {"tensor null", R"({"a":null})", 0, "found null, expected a JSON object"},
      {"tensor a number", R"({"a":1})", 0, "tensor 'a': found a number"},
      {"tensor an array", R"({"a":[]})", 0, "found an array"},
      {"no dtype", R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8, "found no dtype"},
      {"no shape", R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8, "found no shape"},
      {"no data_offsets", R"({"a":{"dtype":"F32","shape":[2]}})", 8, "found no data_offsets"},
      {"unknown key", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8, "the key 'x'"},
      {"dtype twice", R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8, "twice"},
      {"unknown dtype", R"({"a":{"dtype":"F7","shape":[2],"data_offsets":[0,8]}})", 8, "BF16"},
      {"dtype a number", R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", 8, "expected a string"},
      {"shape a string", R"({"a":{"dtype":"F32","shape":"2","data_offsets":[0,8]}})", 8, "an array of whole numbers"},
      {"shape nested", R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", 8, "found an array"},
      {"shape negative", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "shape: found a negative"},
      {"shape fractional", R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8, "fractional"},
      {"shape too large", R"({"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,8]}})", 8, "the size"},
      {"shape beyond 64 bits", R"({"a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,8]}})", 8,
       "too large number"},
      {"shape overflows", R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0, "2^63"},
      {"shape overflows signed", R"({"a":{"dtype":"U8","shape":[4611686018427387904,2],"data_offsets":[0,0]}})", 0,
       "2^63"},
      {"one offset", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4]}})", 4, "found 1 numbers"},
      {"three offsets", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", 4, "more than two"},
      {"offsets negative", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4, "a negative number"},
      {"offsets fractional", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0.0,4.0]}})", 4, "fractional"},
      {"offsets reversed", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "found [4, 0]"},
      {"offsets wrap", R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[18446744073709551614,2]}})", 4, "4 bytes"},
      {"offsets against shape", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8, "expected 12 bytes"},
      {"hole in front", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "a start at 0, without hole"},
      {"hole between",
       R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
       3, "without hole"},
      {"overlap",
       R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3, "without overlap"},
      {"same bytes",
       R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       1, "without overlap"},
      {"equal names",
       R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2, "this name twice"},
      {"equal names by escapes",
       R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2, "this name twice"},
      {"truncated data", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7, "truncated: download"},
      {"data behind the end", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9, "1 bytes behind"},
      {"data without tensors", "{}", 3, "3 bytes behind"},
      {"metadata a string", R"({"__metadata__":"x"})", 0, "expected a JSON object"},
      {"metadata holds a number", R"({"__metadata__":{"a":1}})", 0, "__metadata__ 'a': found a number"},
      {"metadata holds an object", R"({"__metadata__":{"a":{}}})", 0, "found an object"},
      {"metadata twice", R"({"__metadata__":{},"__metadata__":{}})", 0, "twice"},
      {"metadata key twice", R"({"__metadata__":{"a":"b","a":"b"}})", 0, "twice"},
  };
  std::vector<BrokenFile> files = {
      {"empty file", "", "found 0 bytes"},
      {"seven bytes", "1234567", "found 7 bytes"},
      {"header above the limit", std::string("\xff\xff\xff\x7f\0\0\0\0{}", 10), "at most 100000000"},
      {"header length beyond 63 bits", std::string(16, '\xff'), "at most 100000000"},
      {"header beyond the file", safetensors_bytes("{}", 0).substr(0, 9), "truncated: download"},
      {"Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"},
      {"PyTorch archive", std::string("PK\x03\x04\0\0\0\0\0\0", 10), "convert it to safetensors"},
      {"GGUF", std::string("GGUF\x03\0\0\0\0\0", 10), "GGUF"},
      {"web page", "<!DOCTYPE html><html></html>", "a web page"},
      {"very deep", safetensors_bytes(R"({"a":{"shape":)" + std::string(100'000, '['), 0), "found an array"},
      {"long shape",
       safetensors_bytes(
           R"({"a":{"shape":[)" +
               [] {
                 std::string ones;
                 for (int i = 0; i < 65; ++i) ones += "1,";
                 return ones;
               }(),
           0),
       "more than 64 dimensions"},
      {"long name", safetensors_bytes("{\"" + std::string(100'000, 'a') + "\":1}", 0), "a' (cut)"},
  };
  for (const Header& h : headers)
    files.push_back({std::string(h.name), safetensors_bytes(h.header, h.data_bytes), std::string(h.reason)});
  return files;
}

}  // namespace ilt
