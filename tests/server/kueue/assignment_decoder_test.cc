#include "server/kueue/assignment_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/kueue/decoding.h"

namespace trellis::test::assignment_decoder_test {
namespace {

std::string slice(const std::string& values, const std::string& counts = "{\"universal\":1}",
                  const std::string& domains = "2") {
  return "{\"levels\":[\"rack\"],\"slices\":[{\"domainCount\":" + domains +
         ",\"valuesPerLevel\":[" + values + "],\"podCounts\":" + counts + "}]}";
}

const std::string kRoots = R"({"individual":{"roots":["a","b"]}})";

// The one thing that is wrong, without the file.
std::string complaint(const std::string& json) {
  Decoding decoding = decode(json);
  EXPECT_FALSE(decoding.assignment) << json;
  if (decoding.diagnostics.size() != 1) return std::to_string(decoding.diagnostics.size());
  const std::string& line = decoding.diagnostics.front();
  return line.substr(line.find('$'));
}

TEST(AssignmentDecoder, BothForms) {
  Decoding compact = decode(R"({"levels":["block","rack"],"slices":[
    {"domainCount":3,"podCounts":{"individual":[4,5,6]},"valuesPerLevel":[{"universal":"b1"},
      {"individual":{"prefix":"r-","suffix":"-x","roots":["1","","2"]}}]},
    {"domainCount":1,"podCounts":{"universal":7},"valuesPerLevel":[{"universal":"b2"},
      {"individual":{"roots":["r"]}}]}]})");
  EXPECT_EQ(compact.diagnostics, std::vector<std::string>{});
  ASSERT_TRUE(compact.assignment);
  EXPECT_EQ(compact.text(), "block,rack: b1/r-1-x*4 b1/r--x*5 b1/r-2-x*6 b2/r*7");

  Decoding plain = decode(R"({"levels":["block","rack"],"domains":[
    {"values":["b1","r1"],"count":2},{"count":3,"values":["b1","r2"]}]})");
  EXPECT_EQ(plain.diagnostics, std::vector<std::string>{});
  ASSERT_TRUE(plain.assignment);
  EXPECT_EQ(plain.text(), "block,rack: b1/r1*2 b1/r2*3");
}

TEST(AssignmentDecoder, EmptyListsMayBeLeftOut) {
  for (const char* json :
       {R"({"levels":["rack"]})", R"({"levels":["rack"],"slices":null})",
        R"({"levels":["rack"],"slices":[]})", R"({"levels":["rack"],"domains":[]})"}) {
    Decoding decoding = decode(json);
    EXPECT_EQ(decoding.diagnostics, std::vector<std::string>{}) << json;
    ASSERT_TRUE(decoding.assignment) << json;
    EXPECT_EQ(decoding.assignment->size(), 0U);
  }
}

TEST(AssignmentDecoder, NullIsAbsent) {
  Decoding decoding = decode(
      slice(R"({"universal":null,"individual":{"prefix":null,"suffix":null,"roots":["a","b"]}})",
            R"({"universal":3,"individual":null})"));
  ASSERT_TRUE(decoding.assignment);
  EXPECT_EQ(decoding.text(), "rack: a*3 b*3");
}

TEST(AssignmentDecoder, UnknownKeysWarn) {
  Decoding decoding = decode(R"({"levels":["rack"],"slices":[],"generation":5})");
  EXPECT_TRUE(decoding.assignment);
  ASSERT_EQ(decoding.diagnostics.size(), 1U);
  EXPECT_NE(decoding.diagnostics[0].find("warning"), std::string::npos);
  EXPECT_FALSE(decode(R"({"levels":["rack"],"slicse":[]})").assignment);
}

TEST(AssignmentDecoder, RefusesLevels) {
  EXPECT_EQ(complaint("5"), "$: found the number 5, expected an object");
  EXPECT_EQ(complaint("{}"), "$.levels: found nothing, expected a list of 1 to 16");
  EXPECT_EQ(complaint(R"({"levels":[]})"),
            "$.levels: found a list of 0, expected a list of 1 to 16");
  EXPECT_EQ(complaint(R"({"levels":"rack"})"),
            "$.levels: found \"rack\", expected a list of 1 to 16");
  EXPECT_EQ(complaint(R"({"levels":["a",""]})"), "$.levels[1]: found \"\", expected a node label");
  EXPECT_EQ(complaint(R"({"levels":["a","a"]})"),
            "$.levels[1]: found \"a\", expected each level once");
}

TEST(AssignmentDecoder, RefusesSlices) {
  const std::string kSlice = "$.slices[0]";
  EXPECT_EQ(complaint(R"({"levels":["rack"],"slices":[5]})"),
            kSlice + ": found the number 5, expected an object");
  EXPECT_EQ(complaint(slice(kRoots, "{\"universal\":1}", "0")),
            kSlice + ".domainCount: found the number 0, expected a whole number from 1 to 100000");
  EXPECT_EQ(
      complaint(slice(kRoots, "{\"universal\":1}", "3")),
      kSlice + ".valuesPerLevel[0].individual.roots: found a list of 2, expected a list of 3");
  EXPECT_EQ(complaint(slice(kRoots + "," + kRoots)),
            kSlice + ".valuesPerLevel: found a list of 2, expected a list of 1");
  EXPECT_EQ(complaint(slice("{}")),
            kSlice + ".valuesPerLevel[0]: found an object, expected universal or individual");
  EXPECT_EQ(complaint(slice(R"({"universal":"a","individual":{"roots":["a","b"]}})")),
            kSlice + ".valuesPerLevel[0]: found an object, expected universal or individual");
  EXPECT_EQ(complaint(slice(R"({"universal":"a"})")),
            kSlice +
                ".valuesPerLevel: found a list, expected individual values, as it has several "
                "domains");
  EXPECT_EQ(complaint(slice(R"({"individual":{"roots":["a",5]}})")),
            kSlice +
                ".valuesPerLevel[0].individual.roots[1]: found the number 5, expected a string (in "
                "quotes)");
  std::string long_value(64, 'x');
  EXPECT_NE(
      complaint(slice(R"({"individual":{"prefix":")" + long_value + R"(","roots":["a","b"]}})"))
          .find("expected at most 63 characters"),
      std::string::npos);
  std::string many = R"({"levels":["rack"],"slices":[)";
  for (int i = 0; i < 1001; ++i) many += i == 0 ? "{}" : ",{}";
  EXPECT_EQ(complaint(many + "]}"), "$.slices: found a list of 1001, expected a list of 0 to 1000");
}

TEST(AssignmentDecoder, RefusesCounts) {
  const std::string kCounts = "$.slices[0].podCounts";
  const std::string kExpected = ", expected a whole number from 1 to 2147483647";
  EXPECT_EQ(complaint(slice(kRoots, "null")),
            kCounts + ": found nothing, expected how many pods each domain takes");
  EXPECT_EQ(complaint(slice(kRoots, "{}")),
            kCounts + ": found an object, expected universal or individual");
  EXPECT_EQ(complaint(slice(kRoots, R"({"universal":0})")),
            kCounts + ".universal: found the number 0" + kExpected);
  EXPECT_EQ(complaint(slice(kRoots, R"({"universal":2147483648})")),
            kCounts + ".universal: found the number 2147483648" + kExpected);
  EXPECT_EQ(complaint(slice(kRoots, R"({"universal":"1"})")),
            kCounts + ".universal: found \"1\"" + kExpected);
  EXPECT_EQ(complaint(slice(kRoots, R"({"individual":[1,1.5]})")),
            kCounts + ".individual[1]: found the number 1.5" + kExpected);
  EXPECT_EQ(complaint(slice(kRoots, R"({"individual":[1]})")),
            kCounts + ".individual: found a list of 1, expected a list of 2");
}

TEST(AssignmentDecoder, RefusesADomainTwice) {
  EXPECT_EQ(complaint(slice(R"({"individual":{"roots":["a","a"]}})")),
            "$.slices: found the domain \"a\" twice, expected each domain once");
  EXPECT_EQ(complaint(R"({"levels":["block","rack"],"domains":[
    {"values":["b","r"],"count":1},{"values":["b","r"],"count":2}]})"),
            "$.domains: found the domain \"b\" \"r\" twice, expected each domain once");
}

TEST(AssignmentDecoder, RefusesDomains) {
  auto domain = [](const std::string& text) {
    return complaint(R"({"levels":["rack"],"domains":[)" + text + "]}");
  };
  EXPECT_EQ(domain(R"({"values":["a","b"],"count":1})"),
            "$.domains[0].values: found a list of 2, expected a list of 1");
  EXPECT_EQ(domain(R"({"values":["a"]})"),
            "$.domains[0].count: found nothing, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(
      domain(R"({"values":["a"],"count":-1})"),
      "$.domains[0].count: found the number -1, expected a whole number from 1 to 2147483647");
  EXPECT_NE(domain(R"({"values":["a"],"count":1,"weight":2})").find("the unknown key \"weight\""),
            std::string::npos);
}

}  // namespace
}  // namespace trellis::test::assignment_decoder_test
