// Reads JSON one value at a time, strictly, and reports exactly what is wrong where it is no JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/document/document_builder.h"

namespace trellis {

class JsonScanner {
 public:
  // REQUIRES: a zero byte follows `text`; `text` outlives every document that is built from it.
  explicit JsonScanner(std::string_view text);

  // Reads one value with its content. False: error() describes what is wrong, at line().
  bool read_value(DocumentBuilder& builder);
  // Reads a key and its colon; `document` keeps the key.
  bool read_key(Document& document, std::string_view& key);

  void skip_space();
  // The next character behind space, not taken; '\0' at the end (and for a zero byte).
  char peek();
  bool take(char wanted);  // takes it if it is next
  bool at_end() const { return at_ == end_; }

  // Skips a value by its brackets alone, without reading it; false when they do not close.
  bool skip_balanced();

  struct Position {
    const char* at;
    uint32_t line;
  };
  Position position() const { return {at_, line_}; }
  void move_to(Position position);
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  uint32_t line() const { return line_; }
  // Moves to the next line that begins with '{' or '['; false: there is none.
  bool move_to_next_start();

  struct Error {
    std::string found;
    std::string expected;
  };
  const Error& error() const { return error_; }
  bool fail(std::string expected);  // with the text found here; returns false

 private:
  bool read_scalar(DocumentBuilder& builder);
  bool read_string(Document& document, std::string_view& text);
  bool read_escape(std::string& out);
  bool read_number(std::string_view& text);
  bool read_word(std::string_view word);
  bool fail_with(std::string found, std::string expected);

  const char* begin_;
  const char* at_;
  const char* end_;
  uint32_t line_ = 1;
  Error error_;
};

}  // namespace trellis
