#include "server/view/text_table.h"

#include <gtest/gtest.h>

namespace trellis::text_table_test {
namespace {

TextTable sample() {
  TextTable table({{"NAME"}, {"PODS", Align::Right}, {"WHY"}});
  table.add_row({{"a"}, {"8/8"}, {"-"}});
  table.add_row({{"longer"}, {"10/12"}, {"too few", Style::Bad}});
  return table;
}

TEST(TextTable, ColumnsLineUpAndLinesEndWithoutBlanks) {
  EXPECT_EQ(sample().render(Colours::Off),
            "NAME     PODS  WHY\n"
            "a         8/8  -\n"
            "longer  10/12  too few\n");
}

TEST(TextTable, TheWidestCellsAreCutWhereALineWouldBeTooLong) {
  TextTable table({{"NAME"}, {"PODS", Align::Right}, {"WHY"}});
  table.add_row({{"a-long-name"}, {"8/8"}, {"größer als die Zeile erlaubt"}});
  EXPECT_EQ(table.render({Colours::Off, 32}),
            "NAME         PODS  WHY\n"
            "a-long-name   8/8  größer als...\n");
  EXPECT_EQ(table.render({Colours::Off, 10}),
            "NAME      PODS  WHY\n"
            "a-lon...   8/8  größe...\n");
  EXPECT_EQ(table.render({Colours::Off, 200}), table.render(Colours::Off));
}

TEST(TextTable, ColoursDoNotCountForTheWidth) {
  EXPECT_EQ(sample().render(Colours::On),
            "\x1b[1mNAME\x1b[0m     \x1b[1mPODS\x1b[0m  \x1b[1mWHY\x1b[0m\n"
            "a         8/8  -\n"
            "longer  10/12  \x1b[31mtoo few\x1b[0m\n");
}

TEST(TextTable, CharactersCountNotBytes) {
  EXPECT_EQ(display_width("größe"), 5u);
  TextTable table({{"A"}, {"B"}});
  table.add_row({{"ä"}, {"x"}});
  EXPECT_EQ(table.render(Colours::Off), "A  B\nä  x\n");
}

}  // namespace
}  // namespace trellis::text_table_test
