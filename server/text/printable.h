// Makes foreign text harmless for a terminal: characters that would move its cursor, change its
// colours, end the line or change the direction of the following text become visible instead.
//
// Control characters, separators of lines, bytes that are no UTF-8 and marks of direction are
// written as \x1b or \u202e. Cost: O(length).
#pragma once

#include <string>
#include <string_view>

#include "server/text/byte_sink.h"
#include "server/text/style.h"

namespace trellis {

// For one line: a name, a cell, a sentence.
std::string printable(std::string_view text);

// For a text whose line ends are ours; the styles of styled() are kept.
std::string printable_lines(std::string_view text, Colours colours);

// The sink for the text form of an answer. REQUIRES: each write ends between two characters.
class PrintableSink : public ByteSink {
 public:
  PrintableSink(ByteSink& to, Colours colours) : to_(to), colours_(colours) {}
  void write(std::string_view bytes) override { to_.write(printable_lines(bytes, colours_)); }

 private:
  ByteSink& to_;
  Colours colours_;
};

// Whether the character at the front, `length` bytes long, changes the direction of text or ends a
// line, and is no control character of ASCII.
bool misleads(std::string_view text, size_t length);

// The length of the UTF-8 sequence at the front of `text`; 0 when the sequence is broken.
size_t utf8_length(std::string_view text);

}  // namespace trellis
