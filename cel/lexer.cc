#include "cel/lexer.h"

#include <charconv>
#include <optional>

#include "cel/texts.h"
#include "cel/utf8.h"

namespace trellis::cel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int hex_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Tokens run() {
    while (skip_space(), at_ < text_.size() && !tokens_.complaint.found()) read();
    add(TokenKind::End, at_);
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void complain(std::string why) {
    if (tokens_.complaint.found()) return;
    tokens_.complaint = {std::move(why), static_cast<uint32_t>(at_)};
  }

  void unknown() {
    complain("Syntax error: token recognition error at: '" + std::string(text_.substr(at_, 1)) +
             "'");
  }

  void add(TokenKind kind, size_t from, Value value = Value::null()) {
    tokens_.list.push_back(
        {kind, static_cast<uint32_t>(from), text_.substr(from, at_ - from), std::move(value)});
  }

  void skip_space() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  void read() {
    char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (c == '"' || c == '\'') return read_text(at_, false, false);
    if (is_letter(c)) return read_word();
    if (c == '`') return read_quoted_name();
    read_symbol();
  }

  void read_word() {
    size_t from = at_;
    size_t prefix = 0;
    bool raw = false;
    bool bytes = false;
    while (prefix < 2) {
      char c = peek(prefix);
      if ((c == 'r' || c == 'R') && !raw) {
        raw = true;
      } else if ((c == 'b' || c == 'B') && !bytes && !raw) {
        bytes = true;
      } else {
        break;
      }
      ++prefix;
    }
    if (prefix > 0 && (peek(prefix) == '"' || peek(prefix) == '\'')) {
      at_ += prefix;
      return read_text(from, raw, bytes);
    }
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    add(TokenKind::Identifier, from);
  }

  // `a-b` behind a point; only names of fields are written so.
  void read_quoted_name() {
    size_t from = ++at_;
    while (at_ < text_.size() && text_[at_] != '`') ++at_;
    if (at_ == text_.size()) return unknown();
    add(TokenKind::Identifier, from);
    ++at_;
  }

  void read_number() {
    size_t from = at_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && hex_of(peek(2)) >= 0) {
      at_ += 2;
      while (hex_of(peek()) >= 0) ++at_;
      return finish_integer(from);
    }
    while (is_digit(peek())) ++at_;
    bool is_double = false;
    if (peek() == '.' && is_digit(peek(1))) {
      is_double = true;
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        is_double = true;
        at_ += 1 + sign;
        while (is_digit(peek())) ++at_;
      }
    }
    if (!is_double) return finish_integer(from);
    std::optional<double> value = double_of(std::string(text_.substr(from, at_ - from)));
    if (!value) return complain("invalid double literal");
    add(TokenKind::Literal, from, Value::number(*value));
  }

  void finish_integer(size_t from) {
    bool is_unsigned = peek() == 'u' || peek() == 'U';
    if (!is_unsigned) return add(TokenKind::Integer, from);
    std::string_view digits = text_.substr(from, at_ - from);
    ++at_;
    bool hex = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
    if (hex) digits.remove_prefix(2);
    uint64_t value = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error != std::errc()) return complain("invalid uint literal");
    add(TokenKind::Literal, from, Value::unsigned_integer(value));
  }

  void read_text(size_t from, bool raw, bool bytes) {
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    std::string value;
    while (true) {
      if (at_ >= text_.size()) return complain("Syntax error: a text has no end");
      char c = peek();
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) break;
      if (!triple && (c == '\n' || c == '\r')) return unknown();
      if (c == '\\' && !raw) {
        if (!read_escape(value, bytes)) return unknown();
        continue;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        value.push_back(c);
        ++at_;
        c = peek();
      }
      value.push_back(c);
      ++at_;
    }
    at_ += triple ? 3 : 1;
    add(TokenKind::Literal, from,
        Value::with_text(bytes ? Kind::Bytes : Kind::String, std::move(value)));
  }

  bool read_escape(std::string& value, bool bytes) {
    static constexpr std::string_view kNames = "abfnrtv\\?\"'`";
    static constexpr std::string_view kLetters = "\a\b\f\n\r\t\v\\?\"'`";
    char c = peek(1);
    size_t known = kNames.find(c);
    if (c != '\0' && known != std::string_view::npos) {
      value.push_back(kLetters[known]);
      at_ += 2;
      return true;
    }
    size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 3;
    bool octal = c >= '0' && c <= '3';
    if (!octal && digits == 3) return false;
    if (bytes && (c == 'u' || c == 'U')) return false;
    at_ += octal ? 1 : 2;
    uint32_t code = 0;
    for (size_t i = 0; i < digits; ++i, ++at_) {
      int digit = hex_of(peek());
      if (digit < 0 || (octal && digit > 7)) return false;
      code = code * (octal ? 8 : 16) + static_cast<uint32_t>(digit);
    }
    if (bytes) {
      value.push_back(static_cast<char>(code));
      return true;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    append_letter(value, static_cast<char32_t>(code));
    return true;
  }

  void read_symbol() {
    static constexpr std::string_view kSymbols[] = {"==", "!=", "<=", ">=", "&&", "||", "[", "]",
                                                    "{",  "}",  "(",  ")",  ".",  ",",  "-", "!",
                                                    "?",  ":",  "+",  "*",  "/",  "%",  "<", ">"};
    for (std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      size_t from = at_;
      at_ += symbol.size();
      return add(TokenKind::Symbol, from);
    }
    unknown();
  }

  std::string_view text_;
  size_t at_ = 0;
  Tokens tokens_;
};

}  // namespace

Tokens read_tokens(std::string_view text) { return Lexer(text).run(); }

Value integer_of(std::string_view text, bool negative) {
  bool hex = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
  std::string written(negative ? "-" : "");
  written.append(hex ? text.substr(2) : text);
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(written.data(), written.data() + written.size(), value, hex ? 16 : 10);
  if (error != std::errc()) return Value::error("invalid int literal");
  return Value::integer(value);
}

}  // namespace trellis::cel
