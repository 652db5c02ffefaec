#include "server/kueue/assignment_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "framework/topology.h"
#include "framework/vocabulary.h"
#include "server/kueue/assignment_text.h"
#include "tests/oracle/kueue_encoding.h"
#include "tests/server/kueue/decoding.h"
#include "tests/support/long_run.h"
#include "tests/support/node_names.h"

namespace trellis::test::assignment_encoder_test {
namespace {

struct Case {
  std::vector<std::string> levels;
  std::vector<oracle::EncodedDomain> domains;
};

std::string encode(const Case& given, AssignmentForm form) {
  Vocabulary vocabulary;
  TopologyAssignment assignment;
  auto intern = [&](const std::string& text) { return vocabulary.strings.intern(text); };
  for (const std::string& level : given.levels) assignment.levels.push_back(intern(level));
  for (const oracle::EncodedDomain& domain : given.domains) {
    for (const std::string& value : domain.path) assignment.values.push_back(intern(value));
    assignment.counts.push_back(domain.count);
  }
  std::string text = "before ";
  append_assignment(text, assignment, vocabulary.strings, form);
  EXPECT_EQ(text.substr(0, 7), "before ");
  return text.substr(7);
}

std::string compact(const Case& given) { return encode(given, AssignmentForm::Compact); }

Case by_hostname(const std::vector<std::string>& names, int32_t count = 1) {
  Case made{{std::string(kHostname)}, {}};
  for (const std::string& name : names) made.domains.push_back({{name}, count});
  return made;
}

// Leaves out what stands there already.
void make_different(Case& given) {
  std::set<std::vector<std::string>> seen;
  std::erase_if(given.domains, [&](auto& domain) { return !seen.insert(domain.path).second; });
}

void expect_decodes(const Case& given, const std::string& text) {
  Decoding decoding = decode(text);
  ASSERT_EQ(decoding.diagnostics, std::vector<std::string>{});
  AssignmentText decoded(*decoding.assignment, decoding.vocabulary->strings);
  ASSERT_TRUE(std::equal(decoded.levels.begin(), decoded.levels.end(), given.levels.begin(),
                         given.levels.end()));
  ASSERT_EQ(decoded.domains(), given.domains.size());
  for (size_t domain = 0; domain < decoded.domains(); ++domain) {
    ASSERT_EQ(decoded.counts[domain], given.domains[domain].count);
    for (size_t level = 0; level < decoded.levels.size(); ++level) {
      ASSERT_EQ(decoded.value(domain, level), given.domains[domain].path[level]);
    }
  }
}

void expect_round_trip(const Case& given) {
  for (AssignmentForm form : {AssignmentForm::Compact, AssignmentForm::Plain}) {
    expect_decodes(given, encode(given, form));
  }
}

TEST(AssignmentEncoder, OneSlice) {
  Case given{{"block", "rack"}, {{{"b1", "b1-r1"}, 2}, {{"b1", "b1-r2"}, 3}}};
  EXPECT_EQ(compact(given),
            R"({"levels":["block","rack"],"slices":[{"domainCount":2,"valuesPerLevel":[)"
            R"({"universal":"b1"},{"individual":{"prefix":"b1-r","roots":["1","2"]}}],)"
            R"("podCounts":{"individual":[2,3]}}]})");
  EXPECT_EQ(encode(given, AssignmentForm::Plain),
            R"({"levels":["block","rack"],"domains":[{"values":["b1","b1-r1"],"count":2},)"
            R"({"values":["b1","b1-r2"],"count":3}]})");
  expect_round_trip(given);
}

TEST(AssignmentEncoder, NoDomain) {
  Case given{{"rack"}, {}};
  EXPECT_EQ(compact(given), R"({"levels":["rack"],"slices":[]})");
  expect_round_trip(given);
}

TEST(AssignmentEncoder, PrefixAndSuffixDoNotOverlap) {
  EXPECT_EQ(compact({{"rack"}, {{{"aba"}, 1}, {{"ababa"}, 1}}}),
            R"({"levels":["rack"],"slices":[{"domainCount":2,"valuesPerLevel":[)"
            R"({"individual":{"suffix":"aba","roots":["","ab"]}}],"podCounts":{"universal":1}}]})");
}

TEST(AssignmentEncoder, CharactersStayWhole) {
  EXPECT_EQ(compact({{"rack"}, {{{"r\xC3\xA8!"}, 1}, {{"r\xC3\xA9!"}, 1}}}),
            "{\"levels\":[\"rack\"],\"slices\":[{\"domainCount\":2,\"valuesPerLevel\":["
            "{\"individual\":{\"prefix\":\"r\",\"suffix\":\"!\",\"roots\":[\"\xC3\xA8\",\"\xC3\xA9"
            "\"]}}],\"podCounts\":{\"universal\":1}}]}");
}

TEST(AssignmentEncoder, RunsOfPrefixes) {
  std::vector<std::string> names;
  for (const char* pool : {"cluster-east-pool-with-a-long-name", "cluster-west-pool-of-machines"}) {
    for (int node = 0; node < 60; ++node) {
      names.push_back(std::string(pool) + "-" + std::to_string(100 + node));
    }
  }
  std::string text = compact(by_hostname(names));
  EXPECT_NE(text.find(R"("prefix":"cluster-east-pool-with-a-long-name-1")"), std::string::npos);
  EXPECT_NE(text.find(R"("prefix":"cluster-west-pool-of-machines-1")"), std::string::npos);
  // Racks are never distinguished by parts of their names.
  Case racks = by_hostname(names);
  racks.levels = {"rack"};
  EXPECT_NE(compact(racks).find(R"("domainCount":120)"), std::string::npos);
  EXPECT_NE(compact(racks).find(R"("prefix":"cluster-")"), std::string::npos);
}

TEST(AssignmentEncoder, AsKueueOnEveryNaming) {
  for (const NodeNaming& naming : node_namings()) {
    for (size_t nodes : {1, 2, 3, 50, 3000}) {
      SCOPED_TRACE(naming.scheme + (":" + std::to_string(nodes)));
      Case given = by_hostname(make_node_names(naming, nodes, nodes));
      expect_round_trip(given);
      // Kueue cuts characters in two, which is no JSON.
      if (naming.scheme == std::string_view("foreign")) continue;
      EXPECT_EQ(compact(given), oracle::kueue_encoding(given.levels, given.domains));
    }
  }
}

TEST(AssignmentEncoder, SizesAtManyNodes) {
  for (const NodeNaming& naming : node_namings()) {
    SCOPED_TRACE(naming.scheme);
    Case given = by_hostname(make_node_names(naming, long_run(20000, 100000), 7));
    expect_round_trip(given);
    if (naming.scheme == std::string_view("foreign")) continue;
    size_t theirs = oracle::kueue_encoding(given.levels, given.domains).size();
    EXPECT_LE(compact(given).size() * 100, theirs * 105);
  }
}

// Keys of one part make too many slices: there are no keys.
TEST(AssignmentEncoder, TooManyPrefixes) {
  std::vector<std::string> names;
  for (int pool = 1000; pool < 2001; ++pool) {
    for (char node : {'a', 'b'}) names.push_back("pool" + std::to_string(pool) + "-" + node);
  }
  Case given = by_hostname(names);
  EXPECT_EQ(compact(given), oracle::kueue_encoding(given.levels, given.domains));
  EXPECT_NE(compact(given).find(R"("domainCount":2002)"), std::string::npos);
  given.domains.resize(2000);
  EXPECT_EQ(compact(given), oracle::kueue_encoding(given.levels, given.domains));
}

TEST(AssignmentEncoder, MoreThanASliceHolds) {
  Case given{{"rack"}, {}};
  for (int rack = 0; rack < 100001; ++rack) {
    given.domains.push_back({{"r" + std::to_string(1000000 + rack)}, 1 + rack % 3});
  }
  std::string text = compact(given);
  EXPECT_NE(text.find(R"("domainCount":100000)"), std::string::npos);
  EXPECT_NE(text.find(R"({"universal":"r1100000"})"), std::string::npos);
  expect_decodes(given, text);
}

// Any levels, values and counts, in any order.
TEST(AssignmentEncoder, RandomAssignments) {
  for (uint64_t seed = 0; seed < long_run(300, 5000); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const NodeNaming& naming = random.pick(node_namings());
    Case given;
    size_t levels = 1 + random.below(4);
    for (size_t level = 0; level < levels; ++level) given.levels.push_back(std::to_string(level));
    if (random.chance(60)) given.levels.back() = kHostname;
    bool equal_counts = random.chance(30);
    for (size_t left = random.below(120); left > 0; --left) {
      oracle::EncodedDomain domain{{},
                                   equal_counts ? 4 : static_cast<int32_t>(random.below(9) + 1)};
      for (size_t level = 0; level + 1 < levels; ++level) {
        domain.path.push_back(std::string(1, static_cast<char>('a' + random.below(3))));
      }
      domain.path.push_back(naming.name(left, random));
      given.domains.push_back(domain);
    }
    make_different(given);
    expect_round_trip(given);
  }
}

}  // namespace
}  // namespace trellis::test::assignment_encoder_test
