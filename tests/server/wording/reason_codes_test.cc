// Every reason code is reached by the real program: some scenario expects it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "framework/reason_catalog.h"

namespace trellis::reason_codes_test {
namespace {

// The values of `"code"` in the text of a document.
void collect_codes(std::string_view text, std::set<std::string, std::less<>>& codes) {
  constexpr std::string_view key = "\"code\":\"";
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at)) {
    at += key.size();
    codes.emplace(text.substr(at, text.find('"', at) - at));
  }
}

std::set<std::string, std::less<>> codes_in_scenarios() {
  std::set<std::string, std::less<>> codes;
  for (const auto& folder :
       std::filesystem::directory_iterator(TRELLIS_SOURCE_DIR "/tests/scenarios")) {
    std::ifstream file(folder.path() / "expect.json");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    collect_codes(text, codes);
  }
  return codes;
}

TEST(ReasonCodes, EachIsReachedByAScenario) {
  const std::set<std::string, std::less<>> reached = codes_in_scenarios();
  for (const ReasonEntry& entry : all_reasons()) {
    // Said beside a live cluster alone: tests/kube/run.py has it.
    if (entry.code == ReasonCode::GpuFractionBinderMissing) continue;
    EXPECT_TRUE(reached.contains(entry.name))
        << entry.name << ": no tests/scenarios/*/expect.json has it; add one that does";
  }
}

TEST(ReasonCodes, ScenariosKnowNoOthers) {
  std::set<std::string, std::less<>> known;
  for (const ReasonEntry& entry : all_reasons()) known.emplace(entry.name);
  for (const std::string& code : codes_in_scenarios()) {
    EXPECT_TRUE(known.contains(code)) << code;
  }
}

}  // namespace
}  // namespace trellis::reason_codes_test
