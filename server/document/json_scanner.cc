#include "server/document/json_scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "framework/ascii.h"
#include "server/text/printable.h"

namespace trellis {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighs = 0x8080808080808080;

// Sets the high bit of each byte that is zero (and perhaps of bytes behind the first zero byte).
uint64_t zero_bytes(uint64_t word) { return (word - kOnes) & ~word & kHighs; }

uint64_t word_at(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Whether any of 8 bytes ends a plain run of string characters: a quote, a backslash or a control
// character.
bool ends_run(uint64_t word) {
  uint64_t quote = zero_bytes(word ^ (kOnes * '"'));
  uint64_t backslash = zero_bytes(word ^ (kOnes * '\\'));
  uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
  return (quote | backslash | control) != 0;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, uint32_t code) {
  auto byte = [&out](uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace

JsonScanner::JsonScanner(std::string_view text)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

void JsonScanner::move_to(Position position) {
  at_ = position.at;
  line_ = position.line;
}

void JsonScanner::skip_space() {
  while (true) {
    char c = *at_;
    if (c == '\n') {
      ++line_;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++at_;
  }
}

char JsonScanner::peek() {
  skip_space();
  return *at_;
}

bool JsonScanner::take(char wanted) {
  if (peek() != wanted || at_end()) return false;
  ++at_;
  return true;
}

bool JsonScanner::fail_with(std::string found, std::string expected) {
  error_ = {std::move(found), std::move(expected)};
  return false;
}

bool JsonScanner::fail(std::string expected) {
  if (at_end()) return fail_with("the end of the text", std::move(expected));
  const char* end = at_;
  while (end < end_ && end - at_ < 32 && is_word(*end)) ++end;
  if (end == at_) {
    ++end;
    while (end < end_ && (static_cast<unsigned char>(*end) & 0xC0) == 0x80) ++end;
  }
  std::string_view word(at_, static_cast<size_t>(end - at_));
  if (!is_utf8(word)) return fail_with("a byte that is no text", std::move(expected));
  std::string shown = in_quotes(word);
  return fail_with("'" + shown.substr(1, shown.size() - 2) + "'", std::move(expected));
}

bool JsonScanner::read_value(DocumentBuilder& builder) {
  size_t base = builder.depth();
  constexpr uint32_t kNothing = UINT32_MAX;
  uint32_t drop_key = kNothing;  // of the member that is dropped once its value is read
  size_t drop_depth = 0;
  while (true) {
    char c = peek();
    bool opened = false;
    if (c == '{' || c == '[') {
      if (!builder.begin(c == '{' ? ValueKind::Object : ValueKind::Array, line_)) {
        return fail_with("nesting deeper than " + std::to_string(kMaxDepth) + " levels", "less");
      }
      ++at_;
      opened = peek() != (c == '{' ? '}' : ']');
    } else if (!read_scalar(builder)) {
      return false;
    }
    while (!opened) {
      if (builder.depth() == base) return true;
      if (drop_key != kNothing && builder.depth() == drop_depth) {
        builder.drop_member(drop_key);
        drop_key = kNothing;
      }
      bool object = builder.in_object();
      if (take(',')) {
        break;
      }
      if (!take(object ? '}' : ']')) return fail(object ? "',' or '}'" : "',' or ']'");
      builder.end();
    }
    if (!builder.in_object()) continue;
    peek();
    uint32_t key_line = line_;
    std::string_view key;
    if (!read_key(builder.document(), key)) return false;
    // managedFields are as large as the rest of an object, and not needed here.
    if (key == "managedFields" && builder.depth() == 2) {
      drop_key = builder.size();
      drop_depth = 2;
    }
    builder.key(key, key_line);
  }
}

bool JsonScanner::read_key(Document& document, std::string_view& key) {
  if (peek() != '"') return fail("a key in double quotes");
  if (!read_string(document, key)) return false;
  if (!take(':')) return fail("':'");
  return true;
}

bool JsonScanner::read_scalar(DocumentBuilder& builder) {
  uint32_t line = line_;
  std::string_view text;
  switch (*at_) {
    case '"':
      if (!read_string(builder.document(), text)) return false;
      builder.string(text, line);
      return true;
    case 't':
      if (!read_word("true")) return false;
      builder.boolean(true, line);
      return true;
    case 'f':
      if (!read_word("false")) return false;
      builder.boolean(false, line);
      return true;
    case 'n':
      if (!read_word("null")) return false;
      builder.null(line);
      return true;
    default:
      if (*at_ != '-' && !is_digit(*at_)) return fail("a value");
      if (!read_number(text)) return false;
      builder.number(text, line);
      return true;
  }
}

bool JsonScanner::read_word(std::string_view word) {
  if (std::string_view(at_, static_cast<size_t>(end_ - at_)).substr(0, word.size()) != word ||
      is_word(at_[word.size()])) {
    return fail("a value");
  }
  at_ += word.size();
  return true;
}

bool JsonScanner::read_number(std::string_view& text) {
  const char* first = at_;
  if (*at_ == '-') ++at_;
  if (!is_digit(*at_)) return fail("a digit");
  bool zero = *at_ == '0';
  ++at_;
  if (zero && is_digit(*at_)) {
    at_ = first;
    return fail("a number without a leading 0");
  }
  while (is_digit(*at_)) ++at_;
  if (*at_ == '.') {
    ++at_;
    if (!is_digit(*at_)) return fail("a digit");
    while (is_digit(*at_)) ++at_;
  }
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    if (!is_digit(*at_)) return fail("a digit");
    while (is_digit(*at_)) ++at_;
  }
  text = {first, static_cast<size_t>(at_ - first)};
  return true;
}

bool JsonScanner::read_string(Document& document, std::string_view& text) {
  ++at_;
  const char* first = at_;
  std::string unescaped;
  bool escapes = false;
  uint64_t seen = 0;  // the bits of all its bytes
  while (true) {
    for (; end_ - at_ >= 8; at_ += 8) {
      uint64_t word = word_at(at_);
      if (ends_run(word)) break;
      seen |= word;
    }
    auto byte = static_cast<unsigned char>(*at_);
    if (byte == '"') break;
    if (byte == '\\') {
      unescaped.append(first, at_);
      escapes = true;
      if (!read_escape(unescaped)) return false;
      first = at_;
      continue;
    }
    if (byte < 0x20) {
      if (at_end()) return fail_with("the end of the text", "'\"' at the end of a string");
      if (byte == '\n' || byte == '\r') {
        return fail_with("the end of the line", "'\"' at the end of a string");
      }
      return fail("no control character in a string");
    }
    seen |= byte;
    ++at_;
  }
  text = {first, static_cast<size_t>(at_ - first)};
  if (escapes) {
    unescaped += text;
    text = document.keep(unescaped);
  }
  if ((seen & kHighs) != 0 && !is_utf8(text)) {
    return fail_with("bytes that are not UTF-8", "text");
  }
  ++at_;
  return true;
}

bool JsonScanner::read_escape(std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  char letter = at_[1];
  size_t at = kLetters.find(letter);
  if (letter != '\0' && at != std::string_view::npos) {
    out += kMeanings[at];
    at_ += 2;
    return true;
  }
  auto read_unit = [this](uint32_t& unit) {
    if (at_[0] != '\\' || at_[1] != 'u') return false;
    unit = 0;
    for (int i = 2; i < 6; ++i) {
      int digit = hex_value(at_[i]);  // the zero byte at the end is no digit
      if (digit < 0) return false;
      unit = unit << 4 | static_cast<uint32_t>(digit);
    }
    at_ += 6;
    return true;
  };
  uint32_t code = 0;
  if (!read_unit(code)) {
    return fail_with("an escape that JSON does not know",
                     "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
  }
  if (code >= 0xD800 && code < 0xE000) {
    uint32_t low = 0;
    if (code >= 0xDC00 || !read_unit(low) || low < 0xDC00 || low >= 0xE000) {
      return fail_with("half of a surrogate pair", "both halves");
    }
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(out, code);
  return true;
}

bool JsonScanner::skip_balanced() {
  int64_t depth = 0;
  bool string = false;
  for (; at_ < end_; ++at_) {
    char c = *at_;
    if (c == '\n') {
      ++line_;
      string = false;  // no string contains a line end: this string was broken
    } else if (string) {
      if (c == '\\' && end_ - at_ > 1 && at_[1] != '\n') ++at_;
      if (c == '"') string = false;
    } else if (c == '"') {
      string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth > 0) continue;
      ++at_;
      return depth == 0;
    }
  }
  return false;
}

bool JsonScanner::move_to_next_start() {
  while (true) {
    const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    if (newline == nullptr) return false;
    at_ = static_cast<const char*>(newline) + 1;
    ++line_;
    if (*at_ == '{' || *at_ == '[') return true;
  }
}

}  // namespace trellis
