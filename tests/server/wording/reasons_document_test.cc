// docs/reasons.md is what the enum says: TRELLIS_UPDATE=1 rewrites it.

#include "server/wording/reasons_document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "framework/reason_catalog.h"

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
  for (const ReasonEntry& entry : all_reasons()) {
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
    EXPECT_FALSE(entry.remedy.empty()) << entry.name;
  }
}

}  // namespace
}  // namespace trellis::reasons_document_test
