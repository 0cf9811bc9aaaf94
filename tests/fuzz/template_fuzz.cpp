// Fuzzes chat templates. After a first byte 'm', the bytes are messages for a fixed template, else a template for fixed
// messages: any of them gives UTF-8 text or a reason, within the memory that bounds.rs allows.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "text/rust/ilt_text.h"
#include "text/rust_string.h"

namespace {

constexpr std::string_view fixed_messages = R"([{"role": "system", "content": "Be kind."},
  {"role": "user", "content": "What is 1 + 1?"},
  {"role": "assistant", "content": "<think>\nOne more.\n</think>\n\n2", "tool_calls": [{"type": "function",
    "function": {"name": "add", "arguments": {"a": 1, "b": [1.5, null, "é"]}}}]},
  {"role": "tool", "name": "add", "content": "2"}, {"role": "user", "content": [{"type": "text", "text": "So?"}]}])";

constexpr std::string_view fixed_template = R"({{ bos_token }}{% set ns = namespace(last='') %}
{%- for message in messages %}
{%- if message['role'] != ns.last %}{% set ns.last = message['role'] %}{% endif %}
{{- '<' ~ message.role ~ '>' + (message.content if message.content is string else message.content|tojson(indent=2)) }}
{%- for call in message.tool_calls or [] %}{{ call.function.arguments|items|list }}{{ call }}{% endfor %}
{%- endfor %}{{ messages|map(attribute='content')|unique|list|length }}{{ messages == messages[::-1]|list }}
{%- if add_generation_prompt %}<assistant>{% endif %})";

void render(std::string_view source, std::string_view messages) {
  constexpr std::int64_t time = 1769817600;
  ilt_text_template* chat = nullptr;
  ilt::RustString reason;
  if (ilt_text_template_new(source.data(), source.size(), time, &chat, reason.out()) != 0) {
    if (reason.view().empty()) std::abort();
    return;
  }
  const std::string variables = std::string(R"({"bos_token": "<s>", "eos_token": "</s>", "tools": null, )") +
                                R"("add_generation_prompt": true, "messages": )" + std::string(messages) + "}";
  ilt::RustString text;
  ilt::RustString refusal;
  const auto status = ilt_text_template_render(chat, variables.data(), variables.size(), text.out(), refusal.out());
  ilt_text_template_free(chat);
  // A panic that was caught is a fault none the less.
  if (refusal.view().starts_with("internal fault")) std::abort();
  if (status != 0 && refusal.view().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('m')) {
    render(fixed_template, bytes.substr(1));
  } else {
    render(bytes, fixed_messages);
  }
  return 0;
}
