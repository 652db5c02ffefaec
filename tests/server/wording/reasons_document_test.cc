// docs/reasons.md is what the enum says: TRELLIS_UPDATE=1 rewrites it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "server/wording/reason_catalog.h"

namespace trellis::reasons_document_test {
namespace {

TEST(ReasonsDocument, StandsInDocs) {
  const std::string path = TRELLIS_SOURCE_DIR "/docs/reasons.md";
  if (std::getenv("TRELLIS_UPDATE") != nullptr) std::ofstream(path) << reasons_document();
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, reasons_document()) << "run with TRELLIS_UPDATE=1";
}

TEST(ReasonsDocument, DescribesEveryCode) {
  for (ReasonCode code : all_reason_codes()) {
    ReasonEntry entry = reason_entry(code);
    EXPECT_EQ(entry.code, code) << to_string(code);
    EXPECT_FALSE(entry.meaning.empty()) << to_string(code);
    EXPECT_FALSE(entry.remedy.empty()) << to_string(code);
  }
}

}  // namespace
}  // namespace trellis::reasons_document_test
