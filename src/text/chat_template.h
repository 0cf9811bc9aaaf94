// Chat templates (Jinja, as transformers renders them): messages to text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_set.h"
#include "base/json.h"

namespace ilt {

class ChatTemplate {
 public:
  // From chat_template.jinja or tokenizer_config.json of a model, with its special tokens as variables.
  // Throws not_found where it has none, saying how to give one.
  static ChatTemplate load(const FileSet& model, const std::filesystem::path& override_file = {});
  static ChatTemplate load(const std::filesystem::path& folder, const std::filesystem::path& override_file = {}) {
    return load(FolderFiles(folder), override_file);
  }

  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  // `messages`: array of {role, content, ...}. `extra`: further variables (tools, documents, ...).
  // Throws data with the template's own message where it raises. Thread-safe.
  std::string render(const Json& messages, bool add_generation_prompt, const Json& extra = Json::object()) const;

  // Whether the template prints the date (strftime_now): the one of load() until set_time gives another, so that all
  // records of a run see the same. `unix_seconds` is read as UTC. Not to be called while another thread renders.
  bool prints_date() const noexcept;
  void set_time(std::int64_t unix_seconds);
  // The same by date, YYYY-MM-DD. set_date throws config where it is none.
  std::string date() const;
  void set_date(const std::string& date);
  // The date last set; empty while it is that of load().
  const std::string& given_date() const noexcept;

  // Of the template's source and the special tokens that it is given.
  const std::string& fingerprint() const noexcept;

 private:
  struct Impl;
  explicit ChatTemplate(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ilt
