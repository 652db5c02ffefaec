// scheduler-plugins' own answers, node by node: tests/conformance/numa.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/numa_case.h"

namespace trellis {
namespace {

using Json = nlohmann::json;

std::vector<Json> read_cases(const std::string& name) {
  std::ifstream file(std::string(TRELLIS_SOURCE_DIR "/tests/conformance/numa/") + name);
  std::vector<Json> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(Json::parse(line));
  return cases;
}

bool has_tag(const Json& input, std::string_view tag) {
  Json tags = input.value("tags", Json::array());
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

// Tags that concern the score alone.
bool tells_of_score(const Json& input) {
  return has_tag(input, "quirk:rounding") || has_tag(input, "defect:zone-order");
}

size_t verdict_tags(const Json& input) {
  size_t count = 0;
  for (const Json& tag : input.value("tags", Json::array())) {
    count += tag != "quirk:rounding" && tag != "defect:zone-order";
  }
  return count;
}

void expect_score(const Json& input, const Json& expected, const NumaAnswer& answer) {
  bool balanced = input.at("config").value("scoringStrategy", Json::object()).value("type", "") ==
                  "BalancedAllocation";
  EXPECT_LE(std::abs(answer.score - expected.at("score").get<int64_t>()), balanced ? 1 : 0)
      << answer.score << " instead of " << expected;
}

struct Compared {
  size_t cases = 0;
  size_t verdicts = 0;
};

Compared expect_upstream_answers(const std::string& name) {
  Compared compared;
  for (const Json& input : read_cases(name)) {
    ++compared.cases;
    NumaCase one(input);
    for (const auto& [node, expected] : input.at("expect").at("nodes").items()) {
      SCOPED_TRACE(input.at("name").get<std::string>() + " " + node);
      ++compared.verdicts;
      NumaAnswer answer = one.answer(node, NumaRules::Upstream, NumaAlignment::Greedy);
      EXPECT_EQ(answer.fits, expected.at("fits"));
      if (answer.fits && expected.at("fits")) expect_score(input, expected, answer);
    }
  }
  return compared;
}

// What the kubelet is known to do; with alignment Possible, what could be done.
Compared expect_exact_answers(const std::string& name, NumaAlignment alignment) {
  Compared compared;
  for (const Json& input : read_cases(name)) {
    ++compared.cases;
    NumaCase one(input);
    Json exact = input.at("expect").value("exact", Json::object());
    bool greedy = has_tag(input, "quirk:greedy") && alignment == NumaAlignment::Greedy;
    for (const auto& [node, expected] : input.at("expect").at("nodes").items()) {
      SCOPED_TRACE(input.at("name").get<std::string>() + " " + node);
      if (greedy && exact.contains(node) && verdict_tags(input) > 1) continue;  // either will do
      ++compared.verdicts;
      NumaAnswer answer = one.answer(node, NumaRules::Kubelet, alignment);
      bool fits = exact.contains(node) && !greedy ? exact[node].at("fits") : expected.at("fits");
      EXPECT_EQ(answer.fits, fits);
      bool both = answer.fits && expected.at("fits");
      if (both && !tells_of_score(input)) expect_score(input, expected, answer);
    }
  }
  return compared;
}

TEST(NumaConformance, UpstreamTablesByUpstreamRules) {
  Compared compared = expect_upstream_answers("upstream.jsonl");
  EXPECT_EQ(compared.cases, 130U);
  EXPECT_EQ(compared.verdicts, 173U);
}

TEST(NumaConformance, RandomCasesByUpstreamRules) {
  Compared compared = expect_upstream_answers("random.jsonl");
  EXPECT_EQ(compared.cases, 300U);
  EXPECT_EQ(compared.verdicts, 1075U);
}

TEST(NumaConformance, UpstreamTablesByTheKubelet) {
  EXPECT_EQ(expect_exact_answers("upstream.jsonl", NumaAlignment::Greedy).verdicts, 173U);
}

TEST(NumaConformance, RandomCasesByTheKubelet) {
  EXPECT_GT(expect_exact_answers("random.jsonl", NumaAlignment::Greedy).verdicts, 1060U);
}

TEST(NumaConformance, UpstreamTablesWhereAnyAssignmentWillDo) {
  EXPECT_EQ(expect_exact_answers("upstream.jsonl", NumaAlignment::Possible).verdicts, 173U);
}

TEST(NumaConformance, RandomCasesWhereAnyAssignmentWillDo) {
  EXPECT_EQ(expect_exact_answers("random.jsonl", NumaAlignment::Possible).verdicts, 1075U);
}

}  // namespace
}  // namespace trellis
