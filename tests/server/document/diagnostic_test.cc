#include "server/document/diagnostic.h"

#include <gtest/gtest.h>

namespace trellis::diagnostic_test {
namespace {

TEST(Diagnostic, OneLineWithAllItKnows) {
  Diagnostic diagnostic{.file = "a.yaml",
                        .document = 2,
                        .line = 7,
                        .path = "$.spec.levels[0].nodeLabel",
                        .found = "\"rak\"",
                        .expected = "a level",
                        .nearest = "rack"};
  EXPECT_EQ(to_string(diagnostic),
            "a.yaml:7: doc 2: $.spec.levels[0].nodeLabel: found \"rak\", expected a level; did you "
            "mean \"rack\"?");
}

TEST(Diagnostic, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(to_string(Diagnostic{.file = "a.yaml", .found = "gone", .expected = "a file"}),
            "a.yaml: found gone, expected a file");
  EXPECT_EQ(to_string(Diagnostic{.severity = Severity::Note, .found = "skipped 1 object"}),
            "note: skipped 1 object");
  EXPECT_EQ(
      to_string(Diagnostic{.severity = Severity::Warning, .file = "-", .line = 3, .found = "x"}),
      "-:3: warning: x");
}

TEST(Diagnostic, OneLineWhateverTheNames) {
  EXPECT_EQ(to_string(Diagnostic{.file = "a\nb", .found = "x\ty\x7f"}), "a\\x0ab: x\\x09y\\x7f");
}

}  // namespace
}  // namespace trellis::diagnostic_test
