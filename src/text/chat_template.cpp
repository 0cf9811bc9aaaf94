// Chat templates over the Rust crate.
#include "text/chat_template.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/error.h"
#include "base/hash.h"
#include "text/rust_string.h"
#include "text/special_tokens.h"
#include "text/template_source.h"

namespace ilt {

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

struct ChatTemplate::Impl {
  ilt_text_template* handle = nullptr;
  Json variables;
  bool prints_date = false;
  std::int64_t time = local_now();
  std::string fingerprint;
  std::string given_date;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { ilt_text_template_free(handle); }
};

ChatTemplate::ChatTemplate(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

ChatTemplate ChatTemplate::load(const FileSet& model, const std::filesystem::path& override_file) {
  const TemplateSource source = find_template(model, override_file);
  auto impl = std::make_unique<Impl>();
  RustString error;
  if (ilt_text_template_new(source.text.data(), source.text.size(), impl->time, &impl->handle, error.out()) != 0) {
    throw Error(Status::format, fmt::format("the chat template in {} is wrong: {}", source.origin, error.view()),
                {{"file", source.origin}});
  }
  impl->variables = special_tokens(model);
  impl->fingerprint = hash_of(source.text + impl->variables.dump());
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
  impl_->time = unix_seconds;
  ilt_text_template_set_time(impl_->handle, unix_seconds);
}

std::string ChatTemplate::date() const {
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(impl_->time)));
  const std::chrono::year_month_day date(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

void ChatTemplate::set_date(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int length = 0;
  const bool read = std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &length) == 3;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!read || static_cast<std::size_t>(length) != text.size() || length != 10 || !date.ok()) {
    throw Error(Status::config,
                fmt::format("option 'chat_template_date': got \"{}\", expected a date as 2026-01-31", text),
                {{"key", "chat_template_date"}, {"got", text}, {"expected", "YYYY-MM-DD"}});
  }
  const std::chrono::sys_seconds midnight{std::chrono::sys_days(date)};
  set_time(midnight.time_since_epoch().count());
  impl_->given_date = text;
}

const std::string& ChatTemplate::given_date() const noexcept {
  return impl_->given_date;
}

const std::string& ChatTemplate::fingerprint() const noexcept {
  return impl_->fingerprint;
}

}  // namespace ilt
