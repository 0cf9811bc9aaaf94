// ilt.h: tokenizer and chat template.
#include "text/tokenizer.h"

#include "capi/guard.h"
#include "capi/output.h"
#include "weights/model_source.h"

using namespace ilt::capi;

ilt_status ilt_tokenizer_load(const char* model_path, ilt_tokenizer** out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(model_path, "model_path");
    require(out, "out");
    const auto files = ilt::open_model_files(model_path);
    auto tokenizer = std::make_unique<ilt_tokenizer>(ilt::Tokenizer::load(*files));
    try {
      tokenizer->chat = ilt::ChatTemplate::load(*files);
    } catch (const ilt::Error& error) {
      if (error.status() != ilt::Status::not_found) throw;
      tokenizer->no_chat = std::current_exception();
    }
    *out = tokenizer.release();
  });
}

void ilt_tokenizer_free(ilt_tokenizer* tokenizer) noexcept {
  release(tokenizer);
}

int32_t ilt_tokenizer_vocab_size(const ilt_tokenizer* tokenizer) noexcept {
  std::int32_t size = 0;
  const auto status = guard(tokenizer, Access::shared, nullptr, [&] { size = tokenizer->value.vocab_size(); });
  return status == ILT_OK ? size : 0;
}

ilt_status ilt_tokenizer_encode(const ilt_tokenizer* tokenizer, const char* text, size_t length, int32_t add_special,
                                int32_t** out_ids, size_t* out_count, ilt_error** err) noexcept {
  return guard(tokenizer, Access::shared, err, [&] {
    if (length > 0) require(text, "text");
    require(out_ids, "out_ids");
    require(out_count, "out_count");
    give_ids(tokenizer->value.encode({text, length}, add_special != 0).ids, out_ids, out_count);
  });
}

ilt_status ilt_tokenizer_decode(const ilt_tokenizer* tokenizer, const int32_t* ids, size_t count, int32_t skip_special,
                                char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(tokenizer, Access::shared, err, [&] {
    if (count > 0) require(ids, "ids");
    give_string(tokenizer->value.decode({ids, count}, skip_special != 0), out, out_length);
  });
}

ilt_status ilt_tokenizer_render_chat(const ilt_tokenizer* tokenizer, const char* messages_json, size_t length,
                                     int32_t add_generation_prompt, char** out, size_t* out_length,
                                     ilt_error** err) noexcept {
  return guard(tokenizer, Access::shared, err, [&] {
    require(messages_json, "messages_json");
    if (tokenizer->no_chat) std::rethrow_exception(tokenizer->no_chat);
    const auto messages = ilt::parse_json({messages_json, length}, "messages");
    if (!messages.is_array())
      ilt::fail(ilt::Status::data, "messages are a list of objects with role and content; got {}",
                messages.type_name());
    give_string(tokenizer->chat->render(messages, add_generation_prompt != 0), out, out_length);
  });
}
