// The tokenizer over the Rust crate.
#include "text/tokenizer.h"

#include "base/error.h"
#include "base/hash.h"
#include "text/rust_string.h"
#include "text/special_tokens.h"

namespace ilt {

struct Tokenizer::Impl {
  ilt_text_tokenizer* handle = nullptr;
  std::int32_t eos_id = -1;
  std::string fingerprint;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { ilt_text_tokenizer_free(handle); }
};

namespace {

struct OwnedEncoding : ilt_text_encoding {
  OwnedEncoding() : ilt_text_encoding{nullptr, nullptr, 0} {}
  OwnedEncoding(const OwnedEncoding&) = delete;
  OwnedEncoding& operator=(const OwnedEncoding&) = delete;
  ~OwnedEncoding() { ilt_text_encoding_free(this); }
};

constexpr auto tokenizer_file = "tokenizer.json";

void require_file(const FileSet& files) {
  if (files.has(tokenizer_file)) return;
  for (const char* other : {"tokenizer.model", "vocab.json"}) {
    if (!files.has(other)) continue;
    fail(Status::not_found,
         "{} has {} but no tokenizer.json; load the tokenizer with transformers once and save_pretrained() it to get "
         "one",
         files.place(), other);
  }
  files.names();  // throws where there is no such folder
  fail(Status::not_found, "{} has no tokenizer.json", files.place());
}

}  // namespace

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Tokenizer Tokenizer::load(const FileSet& files) {
  require_file(files);
  const std::string json = files.read(tokenizer_file);
  auto impl = std::make_unique<Impl>();
  RustString error;
  if (ilt_text_tokenizer_new(json.data(), json.size(), &impl->handle, error.out()) != 0) {
    throw Error(Status::format, fmt::format("{} is no tokenizer: {}", files.place(tokenizer_file), error.view()),
                {{"file", files.place(tokenizer_file)}});
  }
  impl->fingerprint = hash_of(json);
  Tokenizer tokenizer(std::move(impl));
  const Json tokens = special_tokens(files);
  if (tokens.contains("eos_token")) {
    tokenizer.impl_->eos_id = tokenizer.token_id(tokens["eos_token"].get_ref<const std::string&>());
  }
  return tokenizer;
}

Encoding Tokenizer::encode(std::string_view text, bool add_special) const {
  OwnedEncoding from;
  RustString error;
  if (ilt_text_tokenizer_encode(impl_->handle, text.data(), text.size(), add_special, &from, error.out()) != 0) {
    fail(Status::data, "the tokenizer cannot encode this text: {}", error.view());
  }
  Encoding to;
  to.ids.assign(from.ids, from.ids + from.size);
  to.offsets.reserve(from.size);
  for (std::size_t i = 0; i < from.size; ++i) to.offsets.emplace_back(from.offsets[2 * i], from.offsets[2 * i + 1]);
  return to;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= vocab_size())
      throw Error(Status::invalid_argument,
                  fmt::format("token id {} at position {} is outside the tokenizer's vocabulary of {}", ids[i], i,
                              vocab_size()),
                  {{"position", i}, {"got", ids[i]}, {"vocab", vocab_size()}});
  const std::vector<std::uint32_t> wide(ids.begin(), ids.end());
  RustString text;
  RustString error;
  if (ilt_text_tokenizer_decode(impl_->handle, wide.data(), wide.size(), skip_special, text.out(), error.out()) != 0) {
    fail(Status::data, "the tokenizer cannot decode these ids: {}", error.view());
  }
  return text.str();
}

std::int32_t Tokenizer::vocab_size() const {
  return static_cast<std::int32_t>(ilt_text_tokenizer_vocab_size(impl_->handle));
}

std::int32_t Tokenizer::token_id(std::string_view token) const {
  return static_cast<std::int32_t>(ilt_text_tokenizer_token_id(impl_->handle, token.data(), token.size()));
}

bool Tokenizer::is_special(std::int32_t id) const {
  return ilt_text_tokenizer_is_special(impl_->handle, static_cast<std::uint32_t>(id)) != 0;
}

std::int32_t Tokenizer::eos_id() const noexcept {
  return impl_->eos_id;
}

const std::string& Tokenizer::fingerprint() const noexcept {
  return impl_->fingerprint;
}

std::size_t Tokenizer::longest_token() const noexcept {
  return ilt_text_tokenizer_longest_token(impl_->handle);
}

}  // namespace ilt
