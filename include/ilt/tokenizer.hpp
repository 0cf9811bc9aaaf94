// The tokenizer and chat template of a model.
#ifndef ILT_TOKENIZER_HPP_
#define ILT_TOKENIZER_HPP_

#include <ilt.h>

#include <ilt/error.hpp>
#include <ilt/sample.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ilt {

// Text to token ids and back; immutable, so that calls may overlap.
class Tokenizer {
 public:
  explicit Tokenizer(const std::string& model_path)
      : handle_(detail::make<Handle>(
            [&](ilt_tokenizer** out, ilt_error** err) { return ilt_tokenizer_load(model_path.c_str(), out, err); })) {}

  // The largest token id + 1.
  std::int32_t vocab_size() const noexcept { return ilt_tokenizer_vocab_size(c()); }
  std::vector<std::int32_t> encode(std::string_view text, bool add_special = false) const {
    std::int32_t* ids = nullptr;
    std::size_t count = 0;
    detail::call([&](ilt_error** err) {
      return ilt_tokenizer_encode(c(), text.data(), text.size(), add_special, &ids, &count, err);
    });
    const detail::Memory<std::int32_t> owner(ids);
    return detail::to_vector(ids, count);
  }
  std::string decode(const std::vector<std::int32_t>& ids, bool skip_special = false) const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_tokenizer_decode(c(), ids.data(), ids.size(), skip_special, out, length, err);
    });
  }
  // A JSON array of messages through the chat template.
  std::string render_chat(std::string_view messages_json, bool add_generation_prompt = false) const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_tokenizer_render_chat(c(), messages_json.data(), messages_json.size(), add_generation_prompt, out,
                                       length, err);
    });
  }
  // One chat record as training would take it.
  Sample apply_chat(std::string_view record_json) const {
    return detail::sample([&](std::int32_t** ids, std::int32_t** labels, std::size_t* count, ilt_error** err) {
      return ilt_tokenizer_apply_chat(c(), record_json.data(), record_json.size(), ids, labels, count, err);
    });
  }
  ilt_tokenizer* c() const noexcept { return handle_.get(); }

 private:
  using Handle = detail::Handle<ilt_tokenizer, ilt_tokenizer_free>;
  Handle handle_;
};

}  // namespace ilt

#endif  // ILT_TOKENIZER_HPP_
