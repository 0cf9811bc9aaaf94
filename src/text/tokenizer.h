// The tokenizer of a Hugging Face folder (tokenizer.json): text to token ids with byte offsets, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_set.h"

namespace ilt {

struct Encoding {
  std::vector<std::int32_t> ids;
  // Byte range [begin, end) of the text that each id stands for.
  std::vector<std::pair<std::size_t, std::size_t>> offsets;
};

class Tokenizer {
 public:
  // Reads tokenizer.json. Throws not_found or format.
  static Tokenizer load(const FileSet& files);
  static Tokenizer load(const std::filesystem::path& folder) { return load(FolderFiles(folder)); }

  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // Thread-safe. `add_special` lets the tokenizer add what its post-processor adds (BOS, EOS).
  Encoding encode(std::string_view text, bool add_special = false) const;
  std::string decode(std::span<const std::int32_t> ids, bool skip_special = true) const;
  std::int32_t vocab_size() const;  // with added tokens: largest id + 1
  // -1 where the vocabulary has no such token.
  std::int32_t token_id(std::string_view token) const;
  // Whether the id is an added token marked special: what user text does not hold by chance.
  bool is_special(std::int32_t id) const;
  // eos_token of the folder's tokenizer_config.json or special_tokens_map.json; -1 without one.
  std::int32_t eos_id() const noexcept;
  // Of tokenizer.json.
  const std::string& fingerprint() const noexcept;
  // Bytes of the longest token's name: a text of n bytes has at least about n / longest_token() tokens.
  std::size_t longest_token() const noexcept;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ilt
