// Text of others made harmless for a terminal: what would move its cursor, change its colours, end
// the line or turn the direction of what follows becomes visible instead.
//
// Control characters, separators of lines, bytes that are no UTF-8 and marks of direction are
// written as \x1b or \u202e. Cost: O(length).
#pragma once

#include <string>
#include <string_view>

#include "server/text/byte_sink.h"
#include "server/text/style.h"

namespace trellis {

// A name, a cell, a sentence: one line.
std::string printable(std::string_view text);

// A text of several lines that are ours, with the styles that styled() gave it.
std::string printable_lines(std::string_view text, Colours colours);

// Where the text form of an answer goes. REQUIRES: each write ends between two characters.
class PrintableSink : public ByteSink {
 public:
  PrintableSink(ByteSink& to, Colours colours) : to_(to), colours_(colours) {}
  void write(std::string_view bytes) override { to_.write(printable_lines(bytes, colours_)); }

 private:
  ByteSink& to_;
  Colours colours_;
};

// Whether the character at the front, `length` bytes long, turns the direction of text or ends a
// line without being a control character of ASCII.
bool misleads(std::string_view text, size_t length);

// Length of the UTF-8 sequence at the front of `text`; 0 when it is broken.
size_t utf8_length(std::string_view text);

}  // namespace trellis
