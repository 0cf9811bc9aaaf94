// Chat templates over the Rust crate.
#include "text/chat_template.h"

#include <ctime>

#include "base/error.h"
#include "text/rust_string.h"
#include "text/special_tokens.h"
#include "text/template_source.h"

namespace ilt {

struct ChatTemplate::Impl {
  ilt_text_template* handle = nullptr;
  Json variables;
  bool prints_date = false;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { ilt_text_template_free(handle); }
};

namespace {

// The wall clock as it stands here, counted as if it were UTC: templates print local time.
std::int64_t local_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return static_cast<std::int64_t>(now) + local.tm_gmtoff;
}

std::string to_text(const Json& variables) {
  try {
    return variables.dump();
  } catch (const Json::exception&) {
    fail(Status::data, "the messages hold text that is not UTF-8");
  }
}

}  // namespace

ChatTemplate::ChatTemplate(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

ChatTemplate ChatTemplate::load(const std::filesystem::path& model_folder, const std::filesystem::path& override_file) {
  const TemplateSource source = find_template(model_folder, override_file);
  auto impl = std::make_unique<Impl>();
  RustString error;
  if (ilt_text_template_new(source.text.data(), source.text.size(), local_now(), &impl->handle, error.out()) != 0) {
    throw Error(Status::format, fmt::format("the chat template in {} is wrong: {}", source.origin, error.view()),
                {{"file", source.origin}});
  }
  impl->variables = special_tokens(model_folder);
  impl->prints_date = source.text.find("strftime_now") != std::string::npos;
  return ChatTemplate(std::move(impl));
}

std::string ChatTemplate::render(const Json& messages, bool add_generation_prompt, const Json& extra) const {
  Json variables = impl_->variables;
  variables["tools"] = nullptr;
  variables["documents"] = nullptr;
  for (const auto& [name, value] : extra.items()) variables[name] = value;
  variables["messages"] = messages;
  variables["add_generation_prompt"] = add_generation_prompt;
  const std::string json = to_text(variables);
  RustString text;
  RustString error;
  if (ilt_text_template_render(impl_->handle, json.data(), json.size(), text.out(), error.out()) != 0) {
    fail(Status::data, "the chat template refuses these messages: {}", error.view());
  }
  return text.str();
}

bool ChatTemplate::prints_date() const noexcept {
  return impl_->prints_date;
}

void ChatTemplate::set_time(std::int64_t unix_seconds) {
  ilt_text_template_set_time(impl_->handle, unix_seconds);
}

}  // namespace ilt
