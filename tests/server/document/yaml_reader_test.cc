#include "server/document/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/document/json_text.h"
#include "server/document/yaml_scalar.h"

namespace trellis::yaml_reader_test {
namespace {

struct Read {
  std::vector<std::string> documents;
  std::vector<std::string> diagnostics;
};

Read read(const std::string& text) {
  Read result;
  std::vector<Diagnostic> diagnostics;
  ReadSink sink{"in.yaml",
                &diagnostics,
                [&](const Document& document, const ListHead&) {
                  result.documents.push_back(std::to_string(document.number()) + " " +
                                             json_text(document.root()));
                },
                {}};
  read_yaml(text, sink);
  for (const Diagnostic& diagnostic : diagnostics) {
    result.diagnostics.push_back(to_string(diagnostic));
  }
  return result;
}

using Lines = std::vector<std::string>;

TEST(YamlScalar, TypesOfYaml11) {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) {
    EXPECT_EQ(resolve_plain(text).kind, ValueKind::Null) << text;
  }
  for (const char* text :
       {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}) {
    EXPECT_EQ(resolve_plain(text).kind, ValueKind::Bool) << text;
    EXPECT_TRUE(resolve_plain(text).boolean) << text;
  }
  for (const char* text : {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "OFF"}) {
    EXPECT_EQ(resolve_plain(text).kind, ValueKind::Bool) << text;
    EXPECT_FALSE(resolve_plain(text).boolean) << text;
  }
  const char* numbers[][2] = {{"1", "1"},
                              {"-5", "-5"},
                              {"+5", "5"},
                              {"0x1F", "31"},
                              {"0b101", "5"},
                              {"010", "8"},
                              {"0o17", "15"},
                              {"1_000", "1000"},
                              {"1.5", "1.5"},
                              {".5", "0.5"},
                              {"5.", "5"},
                              {"1e3", "1e3"},
                              {"1E-3", "1E-3"},
                              {"08", "8"},
                              {"-0x10", "-16"},
                              {"0", "0"},
                              {"-0", "0"},
                              {"00", "0"},
                              {"123456789012345678901234567890", "123456789012345678901234567890"}};
  for (const auto& number : numbers) {
    EXPECT_EQ(resolve_plain(number[0]).kind, ValueKind::Number) << number[0];
    EXPECT_EQ(resolve_plain(number[0]).number, number[1]);
  }
  for (const char* text : {"yEs",      "nULL", "1Gi",  "500m", "1.2.3", "2026-01-01T00:00:00Z",
                           "12:30:45", ".inf", ".nan", "-",    "+",     ".",
                           "1e",       "0x",   "0xg",  "e3",   "--1",   "1-",
                           "truee",    "a b"}) {
    EXPECT_EQ(resolve_plain(text).kind, ValueKind::String) << text;
  }
}

TEST(YamlReader, DocumentsAndLines) {
  Read result = read("a: 1\n---\n# nothing\n---\nb: [x, 'yes', yes]\n...\n---\n- c\n");
  EXPECT_EQ(result.documents, (Lines{R"(1 {"a":1})", R"(3 {"b":["x","yes",true]})", R"(4 ["c"])"}));
  EXPECT_EQ(result.diagnostics, Lines{});
  EXPECT_EQ(read("").documents, Lines{});
  EXPECT_EQ(read("# only a comment\n").documents, Lines{});
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a: 1\n")
                .documents,
            Lines{R"(1 {"a":1})"});
  EXPECT_EQ(read("a: 1\r\nb: 2\r\n").documents, Lines{R"(1 {"a":1,"b":2})"});
}

TEST(YamlReader, ScalarStyles) {
  EXPECT_EQ(read("a: |\n  x\n  y\nb: >\n  x\n  y\nc: \"1\\n\"\nd: 'it''s'\n").documents,
            Lines{R"(1 {"a":"x\ny\n","b":"x y\n","c":"1\n","d":"it's"})"});
  EXPECT_EQ(read("a: !!str 5\nb: !!int \"7\"\nc: ! 6\nd: !!null ''\n").documents,
            Lines{R"(1 {"a":"5","b":7,"c":"6","d":null})"});
}

TEST(YamlReader, AnchorsAndMerging) {
  EXPECT_EQ(read("a: &x {b: 1, c: &y [2]}\nd: *x\ne: *y\n").documents,
            Lines{R"(1 {"a":{"b":1,"c":[2]},"d":{"b":1,"c":[2]},"e":[2]})"});
  EXPECT_EQ(read("base: &b {x: 1, v: &q {z: 2}}\nd: {v: 3, <<: *b, w: 4}\n").documents,
            Lines{R"(1 {"base":{"x":1,"v":{"z":2}},"d":{"v":3,"w":4,"x":1}})"});
  EXPECT_EQ(read("a: &a {x: 1}\nb: &b {x: 2, v: 2}\nc: {<<: [*a, *b], z: 3}\n").documents,
            Lines{R"(1 {"a":{"x":1},"b":{"x":2,"v":2},"c":{"z":3,"x":1,"v":2}})"});
  EXPECT_EQ(read("\"<<\": 1\n").documents, Lines{R"(1 {"<<":1})"});
  EXPECT_EQ(read("&k key: v\nb: *k\n").documents, Lines{R"(1 {"key":"v","b":"key"})"});
  // A later anchor of the same name takes its place.
  EXPECT_EQ(read("a: &x 1\nb: &x 2\nc: *x\n").documents, Lines{R"(1 {"a":1,"b":2,"c":2})"});
}

TEST(YamlReader, KeysThatAreNoStrings) {
  EXPECT_EQ(read("1: a\ntrue: b\n2.50: c\n").documents,
            Lines{R"(1 {"1":"a","true":"b","2.50":"c"})"});
  EXPECT_EQ(read("? [a]\n: b\n").diagnostics.size(), 1U);
  EXPECT_EQ(read("~: b\n").diagnostics,
            Lines{"in.yaml:1: doc 1: found no key, expected a string as key"});
}

TEST(YamlReader, ABrokenDocumentLeavesTheOthers) {
  Read result = read("a: 1\n---\nb: [1, 2\n---\nc: 3\n---\nd: \"x\n---\ne: 5\n");
  EXPECT_EQ(result.documents, (Lines{R"(1 {"a":1})", R"(3 {"c":3})", R"(5 {"e":5})"}));
  ASSERT_EQ(result.diagnostics.size(), 2U);
  EXPECT_EQ(result.diagnostics[0],
            "in.yaml:4: doc 2: YAML syntax: did not find expected ',' or ']' (while parsing a flow "
            "sequence, from line 3)");
  EXPECT_EQ(result.diagnostics[1],
            "in.yaml:8: doc 4: YAML syntax: found unexpected document indicator (while scanning a "
            "quoted scalar, from line 7)");
}

TEST(YamlReader, LinesCountOnBehindABrokenDocument) {
  Read result = read("a: [\n---\nb: 1\n---\nc: [\n---\nd: 1\nd: 2\n");
  ASSERT_EQ(result.diagnostics.size(), 3U);
  EXPECT_EQ(result.diagnostics[2],
            "in.yaml:8: doc 4: $.d: found the key \"d\" a second time, expected each key once (the "
            "first is at line 7)");
}

TEST(YamlReader, Refuses) {
  EXPECT_EQ(
      read("a: *b\n").diagnostics,
      Lines{"in.yaml:1: doc 1: found the alias *b, expected one whose anchor &b stands before "
            "it"});
  EXPECT_EQ(
      read("a: &a [*a]\n").diagnostics,
      Lines{"in.yaml:1: doc 1: found the alias *a inside what it stands for, expected an alias "
            "behind it"});
  EXPECT_EQ(read("a: !!binary aGk=\n").diagnostics,
            Lines{"in.yaml:1: doc 1: found the tag \"!!binary\", expected no tag"});
  EXPECT_EQ(read("a: !!int x\n").diagnostics,
            Lines{"in.yaml:1: doc 1: found \"x\", expected a value that the tag \"!!int\" allows"});
  EXPECT_EQ(read("a: {<<: 5}\n").diagnostics,
            Lines{"in.yaml:1: doc 1: found the number 5, expected an object to merge by <<"});
  EXPECT_EQ(read("a: " + std::string(101, '[') + std::string(101, ']') + "\n").diagnostics,
            Lines{"in.yaml:1: doc 1: found nesting deeper than 100 levels, expected less"});
  EXPECT_EQ(read(std::string("a: \0b\n", 6)).diagnostics.size(), 1U);
}

TEST(YamlReader, AliasesDoNotBlowUp) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) laughs += ", " + before;
    laughs += "]\n";
  }
  Read result = read(laughs);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_NE(result.diagnostics[0].find("aliases that stand for more than 1000000 values"),
            std::string::npos);
  EXPECT_EQ(result.documents, Lines{});
}

TEST(YamlReader, GivesUpOnWhatIsNothingButBroken) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "---\n[\n";
  EXPECT_EQ(read(text).diagnostics.size(), 101U);
}

}  // namespace
}  // namespace trellis::yaml_reader_test
