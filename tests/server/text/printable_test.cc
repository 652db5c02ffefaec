#include "server/text/printable.h"

#include <gtest/gtest.h>

#include <string>

#include "server/document/document_writer.h"
#include "server/view/text_table.h"

namespace trellis::printable_test {
namespace {

TEST(Printable, WhatReadersCanSeeStays) {
  for (const char* text : {"", "speech-0", "b1/r4 \"x\"", "├─ b1 ███", "Zürich 東京 🙂"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_lines(text, Colours::Off), text);
  }
}

TEST(Printable, WhatATerminalWouldActOnBecomesVisible) {
  EXPECT_EQ(printable("a\nb\r\t\x1b[2J\x07\x7f"), "a\\x0ab\\x0d\\x09\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J")
      << "a control character of eight bits";
  EXPECT_EQ(printable("a\u202eb\u2066c\u2069\u200f\u061c\u2028"),
            "a\\u202eb\\u2066c\\u2069\\u200f\\u061c\\u2028");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3") << "no UTF-8";
}

TEST(Printable, LinesAndStylesOfOursStay) {
  std::string bold = styled("a", Style::Bold, Colours::On) + "\n";
  EXPECT_EQ(printable_lines(bold, Colours::On), bold);
  EXPECT_EQ(printable_lines(bold, Colours::Off), "\\x1b[1ma\\x1b[0m\n");
  EXPECT_EQ(printable_lines("\x1b[2J\x1b[31m", Colours::On), "\\x1b[2J\x1b[31m");
}

TEST(Printable, NoNameEndsARowOrAStyle) {
  EXPECT_EQ(styled("a\nb\x1b[0m", Style::Bad, Colours::On), "\x1b[31ma\\x0ab\\x1b[0m\x1b[0m");
  EXPECT_EQ(styled("a\nb", Style::Bad, Colours::Off), "a\\x0ab");
  TextTable table({{"NAME"}, {"N", Align::Right}});
  table.add_row({{"a\nb"}, {"1"}});
  table.add_row({{"long-name"}, {"\u202e2"}});
  EXPECT_EQ(table.render(Colours::Off),
            "NAME             N\n"
            "a\\x0ab           1\n"
            "long-name  \\u202e2\n");
}

TEST(Printable, JsonSaysTheSameInEscapes) {
  std::string quoted;
  append_quoted(quoted, "a\u202e\xc2\x9b\n\u00e9");
  EXPECT_EQ(quoted, "\"a\\u202e\\u009b\\n\u00e9\"");
}

}  // namespace
}  // namespace trellis::printable_test
