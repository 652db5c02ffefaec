// Functions of texts, and regular expressions.
#include <re2/re2.h>

#include <algorithm>

#include "cel/functions.h"
#include "cel/utf8.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;

bool are_texts(Arguments a) {
  return std::all_of(a.begin(), a.end(), [](const Value& v) { return v.is(Kind::String); });
}

Value out_of_range(int64_t index) {
  return Value::error("index out of range: " + std::to_string(index));
}

template <class Test>
Value test(Arguments a, Test holds) {
  if (!are_texts(a)) return Value::no_such_overload();
  return Value::boolean(holds(std::string_view(a[0].text()), std::string_view(a[1].text())));
}

Value contains(Arguments a) {
  return test(a, [](auto text, auto part) { return text.find(part) != std::string_view::npos; });
}

Value starts_with(Arguments a) {
  return test(a, [](auto text, auto part) { return text.starts_with(part); });
}

Value ends_with(Arguments a) {
  return test(a, [](auto text, auto part) { return text.ends_with(part); });
}

Value char_at(Arguments a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::Int)) return Value::no_such_overload();
  std::u32string letters = letters_of(a[0].text());
  int64_t at = a[1].int_value();
  auto size = static_cast<int64_t>(letters.size());
  if (at < 0 || at > size) return out_of_range(at);
  if (at == size) return Value::string("");
  return Value::string(text_of(letters.substr(static_cast<size_t>(at), 1)));
}

Value index_of(Arguments a) {
  if (!are_texts(a.first(2))) return Value::no_such_overload();
  std::u32string letters = letters_of(a[0].text());
  int64_t from = 0;
  if (a.size() == 3) {
    if (!a[2].is(Kind::Int)) return Value::no_such_overload();
    from = a[2].int_value();
    if (from < 0 || from > static_cast<int64_t>(letters.size())) return out_of_range(from);
  }
  size_t found = letters.find(letters_of(a[1].text()), static_cast<size_t>(from));
  return Value::integer(found == std::u32string::npos ? -1 : static_cast<int64_t>(found));
}

Value last_index_of(Arguments a) {
  if (!are_texts(a.first(2))) return Value::no_such_overload();
  std::u32string letters = letters_of(a[0].text());
  size_t from = std::u32string::npos;
  if (a.size() == 3) {
    if (!a[2].is(Kind::Int)) return Value::no_such_overload();
    int64_t at = a[2].int_value();
    if (at < 0 || at > static_cast<int64_t>(letters.size())) return out_of_range(at);
    from = static_cast<size_t>(at);
  }
  size_t found = letters.rfind(letters_of(a[1].text()), from);
  return Value::integer(found == std::u32string::npos ? -1 : static_cast<int64_t>(found));
}

Value change_letters(Arguments a, char first, char last, int shift) {
  if (!are_texts(a)) return Value::no_such_overload();
  std::string text = a[0].text();
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return Value::string(std::move(text));
}

Value lower(Arguments a) { return change_letters(a, 'A', 'Z', 32); }
Value upper(Arguments a) { return change_letters(a, 'a', 'z', -32); }

Value replace(Arguments a) {
  if (!are_texts(a.first(3))) return Value::no_such_overload();
  if (a.size() == 4 && !a[3].is(Kind::Int)) return Value::no_such_overload();
  int64_t most = a.size() == 4 ? a[3].int_value() : -1;
  const std::string& text = a[0].text();
  const std::string& part = a[1].text();
  std::string made;
  size_t at = 0;
  while (most != 0) {
    size_t found =
        part.empty() ? (at <= text.size() ? at : std::string::npos) : text.find(part, at);
    if (found == std::string::npos) break;
    made.append(text, at, found - at).append(a[2].text());
    --most;
    at = found + part.size();
    if (!part.empty()) continue;
    if (at >= text.size()) return Value::string(std::move(made));
    // An empty part stands before each letter, and at the end.
    do {
      made.push_back(text[at++]);
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  }
  if (at < text.size()) made.append(text, at);
  return Value::string(std::move(made));
}

List split_letters(const std::string& text, int64_t most) {
  List parts;
  std::u32string letters = letters_of(text);
  for (size_t i = 0; i < letters.size(); ++i) {
    bool last = most > 0 && static_cast<int64_t>(parts.size()) == most - 1;
    parts.push_back(Value::string(text_of(letters.substr(i, last ? std::u32string::npos : 1))));
    if (last) break;
  }
  return parts;
}

Value split(Arguments a) {
  if (!are_texts(a.first(2))) return Value::no_such_overload();
  if (a.size() == 3 && !a[2].is(Kind::Int)) return Value::no_such_overload();
  int64_t most = a.size() == 3 ? a[2].int_value() : -1;
  if (most == 0) return Value::list({});
  const std::string& text = a[0].text();
  const std::string& separator = a[1].text();
  if (separator.empty()) return Value::list(split_letters(text, most));
  List parts;
  size_t at = 0;
  while (most < 0 || static_cast<int64_t>(parts.size()) < most - 1) {
    size_t found = text.find(separator, at);
    if (found == std::string::npos) break;
    parts.push_back(Value::string(text.substr(at, found - at)));
    at = found + separator.size();
  }
  parts.push_back(Value::string(text.substr(at)));
  return Value::list(std::move(parts));
}

Value substring(Arguments a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::Int)) return Value::no_such_overload();
  std::u32string letters = letters_of(a[0].text());
  auto size = static_cast<int64_t>(letters.size());
  int64_t from = a[1].int_value();
  int64_t to = size;
  if (a.size() == 3) {
    if (!a[2].is(Kind::Int)) return Value::no_such_overload();
    to = a[2].int_value();
    if (to < 0 || to > size) return out_of_range(to);
  }
  if (from < 0 || from > size) return out_of_range(from);
  if (from > to) {
    return Value::error("invalid substring range. start: " + std::to_string(from) +
                        ", end: " + std::to_string(to));
  }
  return Value::string(
      text_of(letters.substr(static_cast<size_t>(from), static_cast<size_t>(to - from))));
}

bool is_space(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Value trim(Arguments a) {
  if (!are_texts(a)) return Value::no_such_overload();
  std::u32string letters = letters_of(a[0].text());
  size_t from = 0;
  size_t to = letters.size();
  while (from < to && is_space(letters[from])) ++from;
  while (to > from && is_space(letters[to - 1])) --to;
  return Value::string(text_of(letters.substr(from, to - from)));
}

Value join(Arguments a) {
  if (!a[0].is(Kind::List) || !are_texts(a.subspan(1))) return Value::no_such_overload();
  std::string text;
  for (size_t i = 0; i < a[0].items().size(); ++i) {
    const Value& item = a[0].items()[i];
    if (!item.is(Kind::String)) return Value::no_such_overload();
    if (i > 0 && a.size() == 2) text += a[1].text();
    text += item.text();
  }
  return Value::string(std::move(text));
}

Value quote(Arguments a) {
  if (!are_texts(a)) return Value::no_such_overload();
  static constexpr std::string_view kLetters = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string text = "\"";
  for (char c : text_of(letters_of(a[0].text()))) {
    size_t known = kLetters.find(c);
    if (c == '\0' || known == std::string_view::npos) {
      text.push_back(c);
    } else {
      text.push_back('\\');
      text.push_back(kNames[known]);
    }
  }
  return Value::string(text + "\"");
}

Value bad_pattern(const RE2& pattern) {
  return Value::error("error parsing regexp: " + pattern.error());
}

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

Value matches(Arguments a) {
  if (!are_texts(a)) return Value::no_such_overload();
  RE2 pattern(a[1].text(), quiet());
  if (!pattern.ok()) return bad_pattern(pattern);
  return Value::boolean(RE2::PartialMatch(a[0].text(), pattern));
}

// What matches, at most so many times.
Value find_matches(Arguments a, int64_t most) {
  RE2 pattern(a[1].text(), quiet());
  if (!pattern.ok()) return bad_pattern(pattern);
  const std::string& text = a[0].text();
  re2::StringPiece whole(text);
  List found;
  size_t at = 0;
  size_t after = std::string::npos;
  while (at <= text.size() && (most < 0 || static_cast<int64_t>(found.size()) < most)) {
    re2::StringPiece match;
    if (!pattern.Match(whole, at, text.size(), RE2::UNANCHORED, &match, 1)) break;
    auto from = static_cast<size_t>(match.data() - text.data());
    bool repeats = match.empty() && from == after;
    if (!repeats) found.push_back(Value::string(match.as_string()));
    after = from + match.size();
    at = match.empty() ? after + 1 : after;
  }
  return Value::list(std::move(found));
}

Value find_first(Arguments a) {
  if (!are_texts(a)) return Value::no_such_overload();
  Value found = find_matches(a, 1);
  if (found.failed()) return found;
  return found.items().empty() ? Value::string("") : found.items()[0];
}

Value find_all(Arguments a) {
  if (!are_texts(a.first(2))) return Value::no_such_overload();
  if (a.size() == 3 && !a[2].is(Kind::Int)) return Value::no_such_overload();
  return find_matches(a, a.size() == 3 ? a[2].int_value() : -1);
}

constexpr Function kStrings[] = {
    {"contains", true, "string, string: bool", contains},
    {"startsWith", true, "string, string: bool", starts_with},
    {"endsWith", true, "string, string: bool", ends_with},
    {"matches", true, "string, string: bool", matches},
    {"matches", false, "string, string: bool", matches},
    {"find", true, "string, string: string", find_first},
    {"findAll", true, "string, string: list<string>; string, string, int: list<string>", find_all},
    {"charAt", true, "string, int: string", char_at},
    {"indexOf", true, "string, string: int; string, string, int: int", index_of},
    {"lastIndexOf", true, "string, string: int; string, string, int: int", last_index_of},
    {"lowerAscii", true, "string: string", lower},
    {"upperAscii", true, "string: string", upper},
    {"replace", true, "string, string, string: string; string, string, string, int: string",
     replace},
    {"split", true, "string, string: list<string>; string, string, int: list<string>", split},
    {"substring", true, "string, int: string; string, int, int: string", substring},
    {"trim", true, "string: string", trim},
    {"join", true, "list<string>: string; list<string>, string: string", join},
    {"strings.quote", false, "string: string", quote},
};

}  // namespace

std::span<const Function> string_functions() { return kStrings; }

}  // namespace trellis::cel
