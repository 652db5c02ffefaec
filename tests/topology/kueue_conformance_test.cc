// Kueue's own answers, domain by domain: tests/conformance/kueue.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/kueue_case.h"

namespace trellis::kueue_conformance_test {
namespace {

using Json = nlohmann::json;

std::vector<Json> read_cases(const std::string& name) {
  std::ifstream file(std::string(TRELLIS_SOURCE_DIR "/tests/conformance/kueue/") + name);
  std::vector<Json> cases;
  for (std::string text; std::getline(file, text);) cases.push_back(Json::parse(text));
  return cases;
}

// One placer for all cases, so that what one leaves behind must not touch the next; and a fresh
// one for each.
void expect_equal_answers(const std::string& name, size_t count) {
  std::vector<Json> cases = read_cases(name);
  EXPECT_EQ(cases.size(), count);
  KueuePlacer used;
  for (const Json& input : cases) {
    SCOPED_TRACE(input.at("name").get<std::string>());
    const Json& expected = input.at("expect");
    Json decision = KueueCase(input).decide(used);
    KueuePlacer fresh;
    EXPECT_EQ(decision, KueueCase(input).decide(fresh));
    EXPECT_EQ(decision.at("admitted"), expected.at("admitted")) << decision;
    if (!decision.at("admitted")) {
      std::string reason = expected.value("reason", "");
      EXPECT_EQ(decision.at("reason"), reason.substr(0, reason.find(". Total nodes")));
    } else {
      EXPECT_EQ(decision.at("assignments"), expected.value("assignments", Json::object()));
    }
  }
}

TEST(KueueConformance, UpstreamCases) { expect_equal_answers("upstream.jsonl", 77); }

TEST(KueueConformance, RandomCases) { expect_equal_answers("random.jsonl", 600); }

}  // namespace
}  // namespace trellis::kueue_conformance_test
