// Inputs that would take a reader quadratic time, or memory without an end: each ends soon, and
// says what was wrong. Sizes are such that quadratic work takes minutes.

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>

#include "server/manifest/input_files.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::limits_test {
namespace {

constexpr int kMany = 200'000;
constexpr int kDeep = 100'000;
#ifdef __SANITIZE_THREAD__  // ten times as slow
constexpr int kMostSeconds = 60;
#else
constexpr int kMostSeconds = 20;
#endif

std::string repeated(std::string_view part, int times) {
  std::string text;
  text.reserve(part.size() * static_cast<size_t>(times));
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

std::string numbered(const std::function<std::string(int)>& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part(i);
  return text;
}

class Limits : public testing::Test {
 protected:
  // Time on the processor: a busy machine does not count.
  void TearDown() override { EXPECT_LT((std::clock() - start_) / CLOCKS_PER_SEC, kMostSeconds); }

  // What is found among the rest, and how much that is in all.
  void expect(const std::string& text, const std::string& wanted, size_t findings) {
    Reading reading = read(text, text.starts_with("{\"") ? "in.json" : "in.yaml");
    auto found = reading.diagnostics();
    auto is_it = [&](const std::string& line) { return line.find(wanted) != std::string::npos; };
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), is_it)) << found.front();
    EXPECT_EQ(found.size(), findings);
  }

 private:
  std::clock_t start_ = std::clock();
};

TEST_F(Limits, KeysASecondTime) {
  expect("{\"kind\": \"Node\"" + repeated(",\n\"a\": 1", kMany) + "}",
         "the key \"a\" a second time", 101);
  expect("kind: Node\n" + repeated("a: 1\n", kMany), "the key \"a\" a second time", 101);
}

TEST_F(Limits, UnknownKeys) {
  auto key = [](int i) { return ", \"k" + std::to_string(i) + "\": 1"; };
  expect(
      R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {})" +
          numbered(key, kMany) + "}}",
      "the unknown key \"k0\"", 10'002);
}

TEST_F(Limits, ItemsOfTheWrongKind) {
  expect("apiVersion: v1\nkind: List\nitems:\n" + repeated("- 1\n", kMany), "the number 1", 10'001);
}

TEST_F(Limits, Nesting) {
  for (const char* opening : {"[", "{a: "}) {
    expect(repeated(opening, kDeep), "nesting deeper than 100 levels", 1);
    expect("# one\n--- 5\n--- " + repeated(opening, kDeep) + "\n--- 7\n",
           "doc 3: $: found the number 7", 3);
  }
  expect(repeated("- ", kDeep), "nesting deeper than 100 levels", 1);
  expect("{\"a\": " + repeated("[", kDeep), "nesting deeper than 100 levels", 1);
}

TEST_F(Limits, Aliases) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) {
    text += "---\na: &a [" + repeated("1,", 300) + "1]\nb: &b [" + repeated("*a,", 300) +
            "1]\nc: [" + repeated("*b,", 100) + "1]\n";
  }
  Reading reading = read(text);
  ASSERT_FALSE(reading.diagnostics().empty());
  EXPECT_NE(reading.diagnostics().back().find("aliases"), std::string::npos);
}

TEST_F(Limits, QueuesAboveEachOther) {
  auto queue = [](int i) {
    std::string spec = i == 0 ? "{}" : "{parentQueue: q" + std::to_string(i - 1) + "}";
    return "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: q" +
           std::to_string(i) + "}, spec: " + spec + "}\n";
  };
  Reading reading = read(numbered(queue, 20'000));
  EXPECT_EQ(reading.manifest.objects.queues.size(), 64U);
  auto found = reading.diagnostics();
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.front().find("found 65 queues above each other, expected at most 64"),
            std::string::npos)
      << found.front();
}

TEST_F(Limits, QueuesWithoutAParent) {
  auto queue = [](int i) {
    std::string name = std::to_string(i);
    return "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: queue-" + name +
           "}, spec: {parentQueue: queues-" + name + "}}\n";
  };
  EXPECT_TRUE(read(numbered(queue, 20'000)).manifest.objects.queues.empty());
}

TEST_F(Limits, CohortsAboveEachOther) {
  auto cohort = [](int i) {
    std::string spec = i == 0 ? "{}" : "{parentName: c" + std::to_string(i - 1) + "}";
    return "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: c" +
           std::to_string(i) + "}, spec: " + spec + "}\n";
  };
  expect(numbered(cohort, 20'000), "found 65 Cohorts above each other, expected at most 64", 1);
}

TEST_F(Limits, Subgroups) {
  auto group = [](const std::string& subgroups) {
    return "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g}, spec: "
           "{subGroups: [" +
           subgroups + "]}}\n";
  };
  auto flat = [](int i) { return "{name: s" + std::to_string(i) + "},"; };
  auto chain = [](int i) {
    std::string parent = i == 0 ? "" : ", parent: s" + std::to_string(i - 1);
    return "{name: s" + std::to_string(i) + parent + "},";
  };
  using Codes = std::vector<ReasonCode>;
  for (int count : {1'025, kMany}) {
    Reading reading = read(group(numbered(flat, count)));
    EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::SubgroupLimit});
    EXPECT_TRUE(reading.gang("g")->subgroups.empty());
    ASSERT_EQ(reading.diagnostics().size(), 1U);
    EXPECT_NE(reading.diagnostics().front().find(std::to_string(count) + " subgroups"),
              std::string::npos);
  }
  EXPECT_EQ(read(group(numbered(flat, 1'024))).gang("g")->subgroups.size(), 1'024U);
  Reading deep = read(group(numbered(chain, 17)));
  EXPECT_EQ(deep.reasons("g"), Codes{ReasonCode::SubgroupLimit});
  EXPECT_NE(deep.diagnostics().front().find("17 subgroups inside each other"), std::string::npos);
  EXPECT_EQ(read(group(numbered(chain, 16))).gang("g")->subgroups.size(), 16U);
}

TEST_F(Limits, ATextWithoutAnEnd) {
  Result<std::string> text = read_input_file({"/dev/zero", 0}, 1 << 20);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "more than 1 MiB");
  EXPECT_TRUE(read_input_file({"/dev/null", 0}, 1 << 20));
}

}  // namespace
}  // namespace trellis::test::limits_test
