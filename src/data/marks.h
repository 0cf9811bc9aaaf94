// Marks in a conversation's texts, and where they come out in its rendering.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace ilt {

enum class Field { content, reasoning, call };

// A mark's place in the rendered text, counted without marks.
struct Anchor {
  std::size_t message = 0;
  Field field = Field::content;
  std::size_t call = 0;  // which of the message's calls
  bool at_end = false;   // after the text; else before it
  std::size_t at = 0;

  bool same_mark(const Anchor& other) const {
    return message == other.message && field == other.field && call == other.call && at_end == other.at_end;
  }
};

struct Marked {
  std::string text;  // without the marks
  std::vector<Anchor> anchors;
};

struct Placement {
  // Where a mark goes relative to the blanks that a text starts or ends with: templates often strip them.
  enum { outside_blanks, inside_blanks, only_after } where = outside_blanks;
  bool in_empty = true;  // whether empty texts are marked: templates may ask whether there is a text
};

class Marks {
 public:
  // Uses characters that `text`, the plain rendering, does not hold. Throws data where none is left.
  explicit Marks(const std::string& text);

  // `messages` with marks in those for which `wanted` holds: in content and reasoning, and after the names of calls.
  Json put(const Json& messages, const std::vector<bool>& wanted, Placement placement) const;
  // Nothing where a mark came out damaged.
  std::optional<Marked> take(const std::string& rendered) const;

 private:
  std::string mark(const Anchor& anchor) const;
  void around(Json& text, std::size_t message, Field field, Placement placement) const;
  void after_names(Json& calls, std::size_t message) const;

  std::string open_, before_, after_;
};

}  // namespace ilt
