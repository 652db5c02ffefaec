#include "server/document/yaml_writer.h"

#include <algorithm>
#include <array>
#include <string>

#include "framework/ascii.h"

namespace trellis {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words that readers of YAML 1.1 or 1.2 do not read as strings.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> words = {"y",  "n",   "yes",   "no",  "true",
                                                     "on", "off", "false", "null"};
  return std::find(words.begin(), words.end(), lower(text)) != words.end();
}

}  // namespace

bool is_plain_yaml(std::string_view text) {
  // The first character is that of a word, so that the text is no number, date or indicator.
  if (text.empty() || !(is_alpha(text.front()) || text.front() == '/')) return false;
  auto allowed = [](char c) {
    return is_alpha(c) || is_digit(c) || c == '/' || c == '.' || c == '-' || c == '_';
  };
  return std::all_of(text.begin(), text.end(), allowed) && !is_reserved(text);
}

void YamlWriter::start_member() {
  Container& container = open_.back();
  // The first member of an object in an array is on the line of the dash.
  bool on_dash_line = container.empty && container.opened_at == Place::AfterDash;
  container.empty = false;
  if (!on_dash_line) {
    if (place_ != Place::DocumentStart) put('\n');
    for (size_t i = 0; i < container.indent; ++i) put(' ');
  }
}

void YamlWriter::key(std::string_view name) {
  start_member();
  scalar_text(name);
  put(':');
  place_ = Place::AfterKey;
}

void YamlWriter::before_value() {
  if (!open_.empty() && open_.back().kind == Kind::Array) {
    start_member();
    put("- ");
  } else if (place_ == Place::AfterKey) {
    put(' ');
  }
  place_ = Place::LineDone;
}

void YamlWriter::scalar_text(std::string_view value) {
  if (is_plain_yaml(value)) return put(value);
  std::string quoted;
  append_quoted(quoted, value);
  put(quoted);
}

void YamlWriter::open(Kind kind) {
  Place at = place_;
  size_t indent = 0;
  if (!open_.empty()) {
    indent = open_.back().indent + 2;
    if (open_.back().kind == Kind::Array) {
      start_member();
      put("- ");
      at = Place::AfterDash;
    }
  }
  open_.push_back({kind, indent, true, at});
  place_ = open_.size() == 1 ? Place::DocumentStart : Place::LineDone;
}

void YamlWriter::close(std::string_view when_empty) {
  Container closed = open_.back();
  open_.pop_back();
  if (closed.empty) {
    if (closed.opened_at == Place::AfterKey) put(' ');
    put(when_empty);
  }
  place_ = Place::LineDone;
}

}  // namespace trellis
