// Finds turns by marks and by rendering a conversation's beginnings.
#include "data/turns.h"

#include <algorithm>
#include <cctype>
#include <string_view>

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

class TurnFinder {
 public:
  TurnFinder(const ChatTemplate& chat, const Conversation& conversation, const std::string& text)
      : chat_(chat), messages_(conversation.messages), variables_(conversation.variables), text_(text), marks_(text) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      wanted_.push_back(conversation.train[i] || messages_[i]["role"] == "assistant");
    }
    place_marks();
  }

  Turn find(std::size_t message) {
    const auto [first, last] = anchors_of(message, anchors_);
    if (first == last) {
      fail(Status::data, "the chat template prints nothing of message {}, which is to be learnt", message + 1);
    }
    Turn turn;
    turn.message = message;
    turn.by_assistant = messages_[message]["role"] == "assistant";
    turn.end = turn.tail_end = (last - 1)->at;
    turn.ends_with_call = (last - 1)->field == Field::call;
    if (turn.by_assistant) {
      turn.begin = find_begin(message, first - anchors_.begin());
      find_tail(turn);
    } else if (first->at_end) {
      fail(Status::data, "where message {} begins in the rendered text cannot be found", message + 1);
    } else {
      turn.begin = first->at;
    }
    return turn;
  }

 private:
  using Anchors = std::vector<Anchor>;

  static std::pair<Anchors::const_iterator, Anchors::const_iterator> anchors_of(std::size_t message,
                                                                                const Anchors& anchors) {
    const auto is_of = [message](const Anchor& anchor) { return anchor.message == message; };
    const auto first = std::find_if(anchors.begin(), anchors.end(), is_of);
    return {first, std::find_if_not(first, anchors.end(), is_of)};
  }

  Json first_messages(std::size_t count) const {
    return Json::array_t(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  std::string render_marked(const Json& messages, const std::vector<bool>& wanted, Placement placement) const {
    return chat_.render(marks_.put(messages, wanted, placement), false, variables_);
  }

  void place_marks() {
    for (const auto placement : {Placement::outside_blanks, Placement::inside_blanks, Placement::only_after}) {
      if (!try_placement(placement)) continue;
      placement_ = placement;
      return check_order();
    }
    fail(Status::data, "the chat template changes the messages' texts in a way that hides where they stand");
  }

  bool try_placement(Placement placement) {
    try {
      auto marked = marks_.take(render_marked(messages_, wanted_, placement));
      if (!marked || marked->text != text_) return false;
      anchors_ = std::move(marked->anchors);
      return true;
    } catch (const Error& error) {
      if (error.status() != Status::data) throw;
      return false;
    }
  }

  void check_order() const {
    std::vector<int> printed(messages_.size() * 2);
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
      const Anchor& anchor = anchors_[i];
      if (i > 0 && anchor.message < anchors_[i - 1].message) {
        fail(Status::data, "the chat template prints message {} after message {}", anchor.message + 1,
             anchors_[i - 1].message + 1);
      }
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
      const std::string with = chat_.render(head, true, variables_);
      const std::string without = chat_.render(head, false, variables_);
      return with.starts_with(without) ? with.substr(without.size()) : std::string();
    } catch (const Error&) {  // templates may refuse an empty conversation
      return {};
    }
  }

  // What stands in a turn before its content where the turn has nothing but content.
  std::string plain_opening(std::size_t message, std::size_t from) const {
    Json head = first_messages(message);
    head.push_back({{"role", "assistant"}, {"content", "x"}});
    std::vector<bool> wanted(head.size(), false);
    wanted.back() = true;
    try {
      const auto marked = marks_.take(render_marked(head, wanted, Placement::outside_blanks));
      if (!marked || marked->anchors.empty() || marked->anchors.front().at < from) return {};
      return marked->text.substr(from, marked->anchors.front().at - from);
    } catch (const Error&) {
      return {};
    }
  }

  std::size_t find_begin(std::size_t message, std::ptrdiff_t first) const {
    const Anchor& anchor = anchors_[static_cast<std::size_t>(first)];
    const bool opens_with_content = anchor.field == Field::content && !anchor.at_end;
    // The window between the message marked before and this one's first mark; it ends with what opens the turn.
    const std::size_t from = first == 0 ? 0 : anchors_[static_cast<std::size_t>(first) - 1].at;
    const std::string_view window = std::string_view(text_).substr(from, anchor.at - from);
    const std::string prompt = generation_prompt(message);
    const auto found = prompt.empty() ? std::string_view::npos : window.rfind(prompt);
    if (found != std::string_view::npos) {
      const std::size_t after_prompt = from + found + prompt.size();
      if (opens_with_content) {
        return is_empty_block(window.substr(found + prompt.size())) ? anchor.at : after_prompt;
      }
      const std::size_t after_opening = from + common_prefix(window, plain_opening(message, from));
      const bool has_empty_block = after_opening > after_prompt && is_empty_block(std::string_view(text_).substr(
                                                                       after_prompt, after_opening - after_prompt));
      return has_empty_block ? after_opening : after_prompt;
    }
    if (opens_with_content) return prompt.empty() ? before_own_blank(message, anchor.at) : anchor.at;
    // The template has no generation prompt: what opens a plain turn opens this one too.
    const std::string opening = plain_opening(message, from);
    if (opening.empty() || !window.starts_with(opening)) {
      fail(Status::data, "where message {} begins in the rendered text cannot be found", message + 1);
    }
    return from + opening.size();
  }

  // Where only blanks stand between the messages before and the content, the role says these too ("[/INST] Yes").
  std::size_t before_own_blank(std::size_t message, std::size_t content) const {
    try {
      const std::string head = chat_.render(first_messages(message), false, variables_);
      const bool fits = head.size() < content && text_.starts_with(head);
      return fits && text_.find_first_not_of(" \t", head.size()) >= content ? head.size() : content;
    } catch (const Error&) {
      return content;
    }
  }

  // What the beginning that ends with this message prints after its last mark is the message's own.
  void find_tail(Turn& turn) const {
    const std::size_t message = turn.message;
    turn.tail_end = text_.size();
    if (message + 1 == messages_.size()) return;
    const std::string_view after = std::string_view(text_).substr(turn.end);
    try {
      const auto marked = marks_.take(render_marked(first_messages(message + 1), wanted_, placement_));
      if (marked && !marked->anchors.empty() && marked->anchors.back().message == message) {
        const std::string_view tail = std::string_view(marked->text).substr(marked->anchors.back().at);
        if (after.starts_with(tail)) {
          turn.tail_end = turn.end + tail.size();
          return;
        }
      }
    } catch (const Error&) {  // a template that wants a conversation to go on
    }
    // The last message of a conversation is closed in another way than the others: up to the next one then.
    const auto next = std::find_if(anchors_.begin(), anchors_.end(),
                                   [message](const Anchor& anchor) { return anchor.message > message; });
    turn.tail_is_exact = false;
    if (next != anchors_.end()) turn.tail_end = next->at;
  }

  const ChatTemplate& chat_;
  const Json& messages_;
  const Json& variables_;
  const std::string& text_;
  Marks marks_;
  std::vector<bool> wanted_;
  Placement placement_ = Placement::outside_blanks;
  Anchors anchors_;
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
