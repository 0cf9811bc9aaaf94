// Finds turns by marks and by rendering a conversation's beginnings.
#include "data/turns.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "data/marks.h"

namespace ilt {
namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// Whether `text` is a reasoning block with nothing in it, as templates print where a turn has no reasoning:
// "<think>\n\n</think>\n\n", or its end alone where the generation prompt opened it.
bool is_empty_block(std::string_view text) {
  std::string dense;
  std::copy_if(text.begin(), text.end(), std::back_inserter(dense), [](unsigned char c) { return !std::isspace(c); });
  const auto closing = dense.find("</");
  if (closing == std::string::npos || dense.back() != '>') return false;
  const std::string name = dense.substr(closing + 2, dense.size() - closing - 3);
  const bool one_tag = name.find_first_of("<>") == std::string::npos;
  return one_tag && (closing == 0 || dense.substr(0, closing) == "<" + name + ">");
}

// The length of what `text` begins with, where that is an empty block; else 0.
std::size_t empty_block_length(std::string_view text) {
  const auto closing = text.find("</");
  if (closing == std::string_view::npos) return 0;
  const auto end = text.find('>', closing);
  if (end == std::string_view::npos || !is_empty_block(text.substr(0, end + 1))) return 0;
  return std::min(text.find_first_not_of(" \t\r\n", end + 1), text.size());
}

class TurnFinder {
 public:
  TurnFinder(const ChatTemplate& chat, const Conversation& conversation, const std::string& text)
      : chat_(chat), messages_(conversation.messages), variables_(conversation.variables), text_(text), marks_(text) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      wanted_.push_back(conversation.train[i] || messages_[i]["role"] == "assistant");
    }
    place_marks();
    check_order();
  }

  Turn find(std::size_t message) {
    const auto [first, last] = anchors_of(message);
    if (first == last) return find_empty_turn(message);
    require_calls(message, first, last);
    Turn turn;
    turn.message = message;
    turn.by_assistant = messages_[message]["role"] == "assistant";
    turn.end = turn.tail_end = (last - 1)->at;
    turn.ends_with_call = (last - 1)->field == Field::call;
    if (turn.by_assistant) {
      turn.begin = find_begin(message, first);
      find_tail(turn);
    } else if (first->at_end) {
      fail_begin(message);
    } else {
      turn.begin = first->at;
    }
    return turn;
  }

 private:
  using Anchors = std::vector<Anchor>;
  using AnchorIterator = Anchors::const_iterator;

  [[noreturn]] static void fail_begin(std::size_t message) {
    fail(Status::data, "where message {} begins in the rendered text cannot be found", message + 1);
  }

  // A turn whose calls the template leaves out would teach to end it instead of calling.
  void require_calls(std::size_t message, AnchorIterator first, AnchorIterator last) const {
    const Json& said = messages_[message];
    if (!said.contains("tool_calls") || said["tool_calls"].empty()) return;
    if (std::none_of(first, last, [](const Anchor& anchor) { return anchor.field == Field::call; })) {
      fail(Status::data,
           "the chat template prints no tool call of message {}, which is to be learnt: take a template "
           "that knows tools",
           message + 1);
    }
  }

  std::pair<AnchorIterator, AnchorIterator> anchors_of(std::size_t message) const {
    const auto is_of = [message](const Anchor& anchor) { return anchor.message == message; };
    const auto first = std::find_if(anchors_.begin(), anchors_.end(), is_of);
    return {first, std::find_if_not(first, anchors_.end(), is_of)};
  }

  Json first_messages(std::size_t count) const {
    return Json::array_t(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  std::string render(const Json& messages, bool prompt) const { return chat_.render(messages, prompt, variables_); }

  // The rendering with marks as they were placed, or nothing where one was damaged.
  std::optional<Marked> render_marked(const Json& messages, const std::vector<bool>& marked) const {
    auto result = marks_.take(render(marks_.put(messages, marked, placement_), false));
    if (result) drop_repeated_calls(result->anchors);
    return result;
  }

  // Templates print a call's name again with its result: that is not the assistant's.
  static void drop_repeated_calls(Anchors& anchors) {
    Anchors kept;
    for (const Anchor& anchor : anchors) {
      const auto same = [&](const Anchor& other) { return other.same_mark(anchor); };
      if (anchor.field != Field::call || std::none_of(kept.begin(), kept.end(), same)) kept.push_back(anchor);
    }
    anchors = std::move(kept);
  }

  // Marks in all messages tell most about where each begins; templates that look into texts may bear fewer.
  void place_marks() {
    for (const bool in_empty : {true, false}) {
      if (try_marks({Placement::outside_blanks, in_empty}, std::vector<bool>(messages_.size(), true))) return;
      for (const auto where : {Placement::outside_blanks, Placement::inside_blanks, Placement::only_after}) {
        if (try_marks({where, in_empty}, wanted_)) return;
      }
    }
    fail(Status::data, "the chat template changes the messages' texts in a way that hides where they stand");
  }

  bool try_marks(Placement placement, std::vector<bool> marked) {
    placement_ = placement;
    marked_ = std::move(marked);
    try {
      auto result = render_marked(messages_, marked_);
      if (!result || result->text != text_) return false;
      anchors_ = std::move(result->anchors);
      return true;
    } catch (const Error& error) {
      if (error.status() != Status::data) throw;
      return false;
    }
  }

  void check_order() const {
    std::vector<int> printed(messages_.size() * 2);
    std::size_t before = 0;
    for (const Anchor& anchor : anchors_) {
      if (!wanted_[anchor.message]) continue;
      if (anchor.message < before) {
        fail(Status::data, "the chat template prints message {} after message {}", anchor.message + 1, before + 1);
      }
      before = anchor.message;
      if (anchor.field != Field::call && anchor.at_end &&
          ++printed[anchor.message * 2 + static_cast<std::size_t>(anchor.field)] > 1) {
        fail(Status::data, "the chat template prints message {} twice", anchor.message + 1);
      }
    }
  }

  // What the template adds for the assistant to go on after the messages before this one.
  std::string generation_prompt(std::size_t message) const {
    try {
      const Json head = first_messages(message);
      const std::string with = render(head, true);
      const std::string without = render(head, false);
      return with.starts_with(without) ? with.substr(without.size()) : std::string();
    } catch (const Error&) {  // templates may refuse an empty conversation
      return {};
    }
  }

  // The common case: what the template adds after the messages before this one ends where the content begins.
  bool prompt_ends_at(std::size_t message, std::size_t at) const {
    try {
      const std::string with = render(first_messages(message), true);
      return with.size() == at && text_.starts_with(with);
    } catch (const Error&) {
      return false;
    }
  }

  // What stands between the mark before a turn and its content where the turn has nothing but content. `before` is that
  // mark in the whole text, none at its beginning.
  std::string plain_opening(std::size_t message, const Anchor* before) const {
    Json head = first_messages(message);
    head.push_back({{"role", "assistant"}, {"content", "x"}});
    std::vector<bool> marked(marked_.begin(), marked_.begin() + static_cast<std::ptrdiff_t>(message));
    marked.push_back(true);
    try {
      const auto result = render_marked(head, marked);
      if (!result) return {};
      const auto is_of = [message](const Anchor& anchor) { return anchor.message == message; };
      const auto first = std::find_if(result->anchors.begin(), result->anchors.end(), is_of);
      if (first == result->anchors.end() || (first == result->anchors.begin()) != (before == nullptr)) return {};
      if (before != nullptr && !(first - 1)->same_mark(*before)) return {};
      const std::size_t from = before == nullptr ? 0 : (first - 1)->at;
      return result->text.substr(from, first->at - from);
    } catch (const Error&) {
      return {};
    }
  }

  // The window between the mark before a turn and its first one ends with what opens the turn. Where the same stood
  // before an earlier turn after the same role, that turn began at the same place in it.
  std::size_t find_begin(std::size_t message, AnchorIterator anchor) {
    const Anchor* const before = anchor == anchors_.begin() ? nullptr : &*(anchor - 1);
    const std::size_t from = before == nullptr ? 0 : before->at;
    const std::string_view window = std::string_view(text_).substr(from, anchor->at - from);
    const std::string role = message > 0 ? messages_[message - 1]["role"].get<std::string>() : "";
    const auto [known, is_new] = begins_.try_emplace({role, anchor->field, anchor->at_end, window}, 0);
    if (is_new) known->second = find_begin_in(window, from, message, *anchor, before) - from;
    return from + known->second;
  }

  std::size_t find_begin_in(std::string_view window, std::size_t from, std::size_t message, const Anchor& anchor,
                            const Anchor* before) const {
    const bool opens_with_content = anchor.field == Field::content && !anchor.at_end;
    if (opens_with_content && prompt_ends_at(message, anchor.at)) return anchor.at;
    const std::string prompt = generation_prompt(message);
    const auto found = prompt.empty() ? std::string_view::npos : window.rfind(prompt);
    if (found != std::string_view::npos) {
      const std::size_t after_prompt = from + found + prompt.size();
      if (opens_with_content) {
        return is_empty_block(window.substr(found + prompt.size())) ? anchor.at : after_prompt;
      }
      const std::size_t after_opening = from + common_prefix(window, plain_opening(message, before));
      const bool has_empty_block = after_opening > after_prompt && is_empty_block(std::string_view(text_).substr(
                                                                       after_prompt, after_opening - after_prompt));
      return has_empty_block ? after_opening : after_prompt;
    }
    if (opens_with_content) return prompt.empty() ? before_own_blank(message, anchor.at) : anchor.at;
    // The template has no generation prompt: what opens a plain turn opens this one too.
    const std::string opening = plain_opening(message, before);
    if (opening.empty() || !window.starts_with(opening)) fail_begin(message);
    return from + opening.size();
  }

  // Where only blanks stand between the messages before and the content, the role says these too ("[/INST] Yes").
  std::size_t before_own_blank(std::size_t message, std::size_t content) const {
    try {
      const std::string head = render(first_messages(message), false);
      const bool fits = head.size() < content && text_.starts_with(head);
      return fits && text_.find_first_not_of(" \t", head.size()) >= content ? head.size() : content;
    } catch (const Error&) {
      return content;
    }
  }

  // What stands between a turn's last mark and the next message's first one begins with what closes the turn; the same
  // is closed at the same place.
  void find_tail(Turn& turn) {
    turn.tail_end = text_.size();
    if (turn.message + 1 == messages_.size()) return;
    const auto next = std::find_if(anchors_.begin(), anchors_.end(),
                                   [&](const Anchor& anchor) { return anchor.message > turn.message; });
    const std::size_t next_at = next == anchors_.end() ? text_.size() : next->at;
    const std::string_view gap = std::string_view(text_).substr(turn.end, next_at - turn.end);
    const auto [known, is_new] = tails_.try_emplace({turn.ends_with_call, next != anchors_.end(), gap});
    if (is_new) known->second = find_tail_length(turn);
    turn.tail_is_exact = known->second.has_value();
    // Else the last message of a conversation is closed in another way than the others.
    turn.tail_end = known->second ? turn.end + *known->second : next_at;
  }

  // What the beginning that ends with this message prints after its last mark is the message's own.
  std::optional<std::size_t> find_tail_length(const Turn& turn) const {
    const std::size_t message = turn.message;
    const std::string_view after = std::string_view(text_).substr(turn.end);
    try {
      const auto marked = render_marked(first_messages(message + 1), marked_);
      if (marked && !marked->anchors.empty() && marked->anchors.back().message == message) {
        const std::string_view tail = std::string_view(marked->text).substr(marked->anchors.back().at);
        if (after.starts_with(tail)) return tail.size();
      }
    } catch (const Error&) {  // a template that wants a conversation to go on
    }
    return {};
  }

  // The turn of an assistant who says nothing, where no mark could be: between the renderings of the messages before it
  // and of those up to it.
  Turn find_empty_turn(std::size_t message) const {
    const Json& said = messages_[message];
    const bool says_nothing = said["role"] == "assistant" && (!said.contains("content") || said["content"] == "") &&
                              !said.contains("tool_calls") && !said.contains("function_call");
    if (!says_nothing) {
      fail(Status::data, "the chat template prints nothing of message {}, which is to be learnt", message + 1);
    }
    const std::string before = render(first_messages(message), false);
    const std::string up_to = render(first_messages(message + 1), false);
    const std::string prompt = generation_prompt(message);
    if (!text_.starts_with(up_to) || !up_to.starts_with(before + prompt)) fail_begin(message);
    Turn turn{.message = message, .by_assistant = true};
    turn.begin = before.size() + prompt.size();
    turn.begin += empty_block_length(std::string_view(up_to).substr(turn.begin));
    turn.end = turn.begin;
    turn.tail_end = up_to.size();
    return turn;
  }

  const ChatTemplate& chat_;
  const Json& messages_;
  const Json& variables_;
  const std::string& text_;
  Marks marks_;
  std::vector<bool> wanted_;  // messages whose turns may be asked for
  std::vector<bool> marked_;
  Placement placement_;
  Anchors anchors_;
  std::map<std::tuple<std::string, Field, bool, std::string_view>, std::size_t> begins_;
  std::map<std::tuple<bool, bool, std::string_view>, std::optional<std::size_t>> tails_;
};

}  // namespace

std::vector<Turn> find_turns(const ChatTemplate& chat, const Conversation& conversation, const std::string& text) {
  if (std::find(conversation.train.begin(), conversation.train.end(), true) == conversation.train.end()) return {};
  TurnFinder finder(chat, conversation, text);
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < conversation.train.size(); ++i) {
    if (conversation.train[i]) turns.push_back(finder.find(i));
  }
  return turns;
}

}  // namespace ilt
