// HTML by hand: a style, and a span a token.
#include "cli/data/page.h"

#include <algorithm>
#include <stdexcept>

namespace ilt_cli {
namespace {

constexpr const char* head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>What is learnt</title><style>
body { font: 14px/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       color: #222; background: #fff; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
pre { font: 13px/1.7 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; color: #777;
      border-left: 3px solid #ddd; padding-left: 1rem; }
span { border-bottom: 1px dotted #ccc; }
b { font-weight: normal; color: #063; background: #d5f2df; border-bottom: 1px solid #4a8; }
i { color: #b55; font-style: normal; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } pre { color: #888; border-color: #444; }
  span { border-color: #444; } b { color: #bfe8cd; background: #1d3b29; border-color: #385; }
}
</style></head><body>
<h1>What is learnt</h1>
<p>Tokens on <b>green</b> are learnt; the others are only read. Point at a token for its id.</p>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '\n')
      out += "<i>↵</i>\n";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
      out += "\xef\xbf\xbd";
    else
      out += c;
  }
  return out;
}

}  // namespace

Page::Page(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  file_ << head;
}

void Page::add(std::int64_t index, const std::vector<Piece>& pieces) {
  const auto learnt = std::count_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.learnt; });
  file_ << "<h2>Sample " << index << " · " << pieces.size() << " tokens, " << learnt << " learnt</h2>\n<pre>";
  for (const Piece& piece : pieces) {
    std::string ids;
    for (const auto id : piece.ids) ids += (ids.empty() ? "" : " ") + std::to_string(id);
    const char* const tag = piece.learnt ? "b" : "span";
    file_ << '<' << tag << " title=\"" << ids << "\">" << escaped(piece.text) << "</" << tag << '>';
  }
  file_ << "</pre>\n";
}

void Page::close() {
  file_ << "</body></html>\n";
  file_.close();
  if (!file_) throw std::runtime_error("cannot write the page to '" + path_ + "'");
}

}  // namespace ilt_cli
