// ilt generate: continues a prompt or answers a chat, token by token.
#include <cstdio>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

// Prints tokens as text: what could still change with the next token (half a character) waits.
class TextStream {
 public:
  explicit TextStream(const ilt_tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  void add(std::int32_t id) {
    // Models may have more rows than their tokenizer has tokens; the others stand for no text.
    if (id < ilt_tokenizer_vocab_size(tokenizer_)) ids_.push_back(id);
    print(false);
  }
  void finish() {
    print(true);
    std::fputs("\n", stdout);
    std::fflush(stdout);
  }

 private:
  void print(bool all) {
    const auto text = text_of(ilt_tokenizer_decode, tokenizer_, ids_.data(), ids_.size(), 1);
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    const bool open = text.size() >= 3 && text.compare(text.size() - 3, 3, replacement) == 0;
    if (text.size() < printed_ || (open && !all)) return;
    std::fwrite(text.data() + printed_, 1, text.size() - printed_, stdout);
    std::fflush(stdout);
    printed_ = text.size();
  }

  const ilt_tokenizer* tokenizer_;
  std::vector<std::int32_t> ids_;
  std::size_t printed_ = 0;
};

class Generate {
 public:
  explicit Generate(CLI::App& app) : flags_(app, {"model_path", "device", "num_threads"}) {
    auto* const what = app.add_option_group("Prompt", "one of");
    prompt_given_ = what->add_option("--prompt", prompt_, "Text to continue as it is")->type_name("TEXT");
    what->add_option("--message", message_, "A user's message, through the chat template")->type_name("TEXT");
    what->add_option("--messages", messages_file_, "JSON file with a list of messages, through the chat template")
        ->type_name("FILE");
    what->require_option(1);
    const auto add = [&](const char* flag, std::string& value, const char* doc) {
      app.add_option(flag, value, doc)->type_name("NUMBER")->group("Sampling");
    };
    add("--max-new-tokens", max_new_tokens_, "Most tokens to generate (128)");
    add("--temperature", temperature_, "0 takes the likeliest token (0)");
    add("--top-p", top_p_, "Smallest set of tokens whose probability reaches this (1)");
    add("--top-k", top_k_, "Only the likeliest tokens; 0 for all (0)");
    add("--seed", seed_, "Seed of the sampling (0)");
  }

  int run() {
    const auto config = flags_.build();
    call(ilt_config_validate, config.get());
    char* raw = nullptr;
    call(ilt_config_get, config.get(), "model_path", &raw);
    const Memory<char> model_path(raw);
    show_log("warn");
    const auto tokenizer = make<Tokenizer>(ilt_tokenizer_load, model_path.get());
    const auto prompt = encode_prompt(tokenizer.get());
    if (prompt.empty()) throw Usage("the prompt has no tokens: give some text");
    const auto session = make<Session>(ilt_session_create, config.get());
    const Interrupt interrupt;
    TextStream stream(tokenizer.get());
    const auto on_token = [](std::int32_t id, void* out) {
      static_cast<TextStream*>(out)->add(id);
      return std::int32_t{0};
    };
    call(ilt_generate, session.get(), prompt.data(), prompt.size(), options().c_str(), on_token, &stream,
         interrupt.token(), nullptr, nullptr);
    stream.finish();
    return interrupt.exit_code(0);
  }

 private:
  std::vector<std::int32_t> encode_prompt(const ilt_tokenizer* tokenizer) const {
    std::string text = prompt_;
    const bool is_chat = prompt_given_->count() == 0;
    if (is_chat) text = messages_file_.empty() ? render(tokenizer, user_message()) : render_file(tokenizer);
    std::int32_t* ids = nullptr;
    std::size_t count = 0;
    // A rendered chat brings its own special tokens.
    call(ilt_tokenizer_encode, tokenizer, text.data(), text.size(), is_chat ? 0 : 1, &ids, &count);
    const Memory<std::int32_t> memory(ids);
    return {ids, ids + count};
  }

  std::string user_message() const {
    return to_json(Json::array({{{"role", "user"}, {"content", message_}}}), "--message");
  }
  static std::string render(const ilt_tokenizer* tokenizer, const std::string& messages) {
    return text_of(ilt_tokenizer_render_chat, tokenizer, messages.data(), messages.size(), 1);
  }
  std::string render_file(const ilt_tokenizer* tokenizer) const {
    try {
      return render(tokenizer, read_text_file(messages_file_));
    } catch (const Failure& failure) {
      throw Failure(failure.status, messages_file_ + ": " + failure.what());
    }
  }

  // Texts go out as they came: libilt checks them and names what is wrong.
  std::string options() const {
    Json options = Json::object();
    const auto put = [&](const char* name, const std::string& text) {
      if (text.empty()) return;
      const bool digits = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
      const auto number = digits ? Json::parse(text, nullptr, false) : Json(Json::value_t::discarded);
      options[name] = number.is_discarded() ? Json(text) : number;
    };
    put("max_new_tokens", max_new_tokens_);
    put("temperature", temperature_);
    put("top_p", top_p_);
    put("top_k", top_k_);
    put("seed", seed_);
    return options.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  ConfigFlags flags_;
  CLI::Option* prompt_given_ = nullptr;
  std::string prompt_, message_, messages_file_;
  std::string max_new_tokens_, temperature_, top_p_, top_k_, seed_;
};

}  // namespace

Command add_generate(CLI::App& app) {
  auto* const sub = app.add_subcommand("generate", "Continue a prompt, or answer a message");
  return [generate = std::make_shared<Generate>(*sub)] { return generate->run(); };
}

}  // namespace ilt_cli
