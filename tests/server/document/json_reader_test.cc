#include "server/document/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/document/json_text.h"

namespace trellis::json_reader_test {
namespace {

struct Read {
  std::vector<std::string> documents;  // number, path, kind of the list, line, text
  std::vector<std::string> diagnostics;
};

Read read(const std::string& text) {
  Read result;
  std::vector<Diagnostic> diagnostics;
  ReadSink sink{"in.json",
                &diagnostics,
                [&](const Document& document, const ListHead& head) {
                  result.documents.push_back(std::to_string(document.number()) + " " +
                                             document.base_path() + " " + std::string(head.kind) +
                                             ":" + std::to_string(document.root().line()) + " " +
                                             json_text(document.root()));
                },
                {}};
  read_json(text, sink);
  for (const Diagnostic& diagnostic : diagnostics) {
    result.diagnostics.push_back(to_string(diagnostic));
  }
  return result;
}

using Lines = std::vector<std::string>;

TEST(JsonReader, OneValueLinesAndConcatenated) {
  EXPECT_EQ(read(R"({"a":1})").documents, Lines{R"(1 $ :1 {"a":1})"});
  EXPECT_EQ(read("{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n").documents,
            (Lines{R"(1 $ :1 {"a":1})", R"(2 $ :2 {"b":2})", R"(3 $ :4 {"c":3})"}));
  EXPECT_EQ(read("{\n \"a\": 1\n}\n{\n \"b\": 2\n} {\"c\":3}").documents,
            (Lines{R"(1 $ :1 {"a":1})", R"(2 $ :4 {"b":2})", R"(3 $ :6 {"c":3})"}));
  EXPECT_EQ(read("").documents, Lines{});
  EXPECT_EQ(read("\xEF\xBB\xBF{}").documents, Lines{"1 $ :1 {}"});
}

TEST(JsonReader, ListsComeItemByItem) {
  EXPECT_EQ(read("[{\"a\":1},\n {\"b\":2}]").documents,
            (Lines{R"(1 $[0] List:1 {"a":1})", R"(1 $[1] List:2 {"b":2})"}));
  EXPECT_EQ(read(R"({"kind":"PodList","apiVersion":"v1","items":[{"a":1}]})").documents,
            Lines{R"(1 $.items[0] PodList:1 {"a":1})"});
  // As kubectl sorts it: what the list is stands behind the items.
  EXPECT_EQ(read("{\"apiVersion\":\"v1\",\"items\":[{\"a\":{\"b\":[1]}}],\n\"kind\":\"PodList\"}")
                .documents,
            Lines{R"(1 $.items[0] PodList:1 {"a":{"b":[1]}})"});
  EXPECT_EQ(read(R"({"items":[],"kind":"List"} {"items":{"a":1}})").documents,
            Lines{R"(2 $ :1 {"items":{"a":1}})"});
}

TEST(JsonReader, LeavesManagedFieldsOut) {
  EXPECT_EQ(read(R"({"metadata":{"managedFields":[{"x":{"y":1}}],"name":"n"},"managedFields":1})")
                .documents,
            Lines{R"(1 $ :1 {"metadata":{"name":"n"},"managedFields":1})"});
  EXPECT_EQ(read(R"({"metadata":{"name":"n","managedFields":null}})").documents,
            Lines{R"(1 $ :1 {"metadata":{"name":"n"}})"});
}

TEST(JsonReader, Strings) {
  EXPECT_EQ(read(R"({"a":"\u00e9\ud83d\ude00\/\b\f\t\"\\"})").documents,
            Lines{"1 $ :1 {\"a\":\"é😀/\\u0008\\u000c\\t\\\"\\\\\"}"});
  for (const char* text : {R"({"a":"\ud83d"})", R"({"a":"\ude00"})", R"({"a":"\ud83dx"})",
                           R"({"a":"\x"})", R"({"a":"\u12g4"})", R"({"a":"\)", R"({"a":"\u12)",
                           "{\"a\":\"\xff\"}", "{\"a\":\"\x01\"}", "{\"a\":\"x\ny\"}"}) {
    EXPECT_EQ(read(text).diagnostics.size(), 1U) << text;
    EXPECT_EQ(read(text).documents, Lines{}) << text;
  }
}

TEST(JsonReader, Numbers) {
  EXPECT_EQ(read("[0,-0,1.5e+3,1E2,-12.25]").documents.size(), 5U);
  for (const char* text : {"[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[-]", "[0x1]", "[1_0]", "[NaN]",
                           "[Infinity]", "[1.2.3]", "[--1]"}) {
    EXPECT_EQ(read(text).diagnostics.size(), 1U) << text;
  }
}

TEST(JsonReader, SaysWhatWasExpected) {
  EXPECT_EQ(read("{\"a\":1,}").diagnostics,
            Lines{"in.json:1: doc 1: found '}', expected a key in double quotes"});
  EXPECT_EQ(read("{\"a\" 1}").diagnostics, Lines{"in.json:1: doc 1: found '1', expected ':'"});
  EXPECT_EQ(read("{\"a\":[1,\n2,\n3 4]}").diagnostics,
            Lines{"in.json:3: doc 1: found '4', expected ',' or ']'"});
  EXPECT_EQ(read("{\"a\":tru}").diagnostics,
            Lines{"in.json:1: doc 1: found 'tru', expected a value"});
  EXPECT_EQ(read("{\"a\":truex}").diagnostics,
            Lines{"in.json:1: doc 1: found 'truex', expected a value"});
  EXPECT_EQ(read("{\"a\":1").diagnostics,
            Lines{"in.json:1: doc 1: found the end of the text, expected ',' or '}'"});
  EXPECT_EQ(read("{\"a\":\"x").diagnostics,
            Lines{"in.json:1: doc 1: found the end of the text, expected '\"' at the end of a "
                  "string"});
  EXPECT_EQ(read(std::string(102, '[') + std::string(102, ']')).diagnostics,
            Lines{"in.json:1: doc 1: found nesting deeper than 100 levels, expected less"});
  EXPECT_EQ(read(std::string("{\"a\":\0}", 7)).diagnostics,
            Lines{"in.json:1: doc 1: found '\\x00', expected a value"});
  EXPECT_EQ(read("{\"a\":{\"b\":1,\"b\":2}}").diagnostics,
            Lines{"in.json:1: doc 1: $.a.b: found the key \"b\" a second time, expected each key "
                  "once (the first is at line 1)"});
}

TEST(JsonReader, ABrokenLineLeavesTheOthers) {
  for (const char* broken : {"{\"x\":1,", "{\"x\":", "{\"x\":[", "{\"x\":\"y", "{x}", "{", "}",
                             "{\"x\":1,\"x\":2}", "nonsense"}) {
    Read result = read("{\"a\":1}\n" + std::string(broken) + "\n{\"b\":2}\n{\"c\":3}\n");
    EXPECT_EQ(result.diagnostics.size(), 1U) << broken;
    ASSERT_EQ(result.documents.size(), 3U) << broken;
    EXPECT_NE(result.documents[1].find("{\"b\":2}"), std::string::npos) << broken;
    EXPECT_NE(result.documents[2].find("{\"c\":3}"), std::string::npos) << broken;
  }
}

TEST(JsonReader, ABrokenItemLeavesTheOthers) {
  Read result = read(
      "{\"kind\":\"List\",\"items\":[\n {\"a\":1},\n {\"b\":tru, \"x\":[\"]\"]},\n "
      "{\"c\":3}\n]}\n{\"d\":4}");
  EXPECT_EQ(result.documents, (Lines{R"(1 $.items[0] List:2 {"a":1})",
                                     R"(1 $.items[2] List:4 {"c":3})", R"(2 $ :6 {"d":4})"}));
  EXPECT_EQ(result.diagnostics, Lines{"in.json:3: doc 1: found 'tru', expected a value"});
}

TEST(JsonReader, GivesUpOnWhatIsNothingButBroken) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "{,\n";
  EXPECT_EQ(read(text).diagnostics.size(), 101U);
  std::string items = "[";
  for (int i = 0; i < 500; ++i) items += "{,},\n";
  EXPECT_LE(read(items + "1]").diagnostics.size(), 102U);
}

TEST(JsonReader, EveryCutOfAnObjectIsRefused) {
  std::string whole = R"({"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{"c":{}}})";
  for (size_t size = 1; size < whole.size(); ++size) {
    Read result = read(whole.substr(0, size));
    EXPECT_EQ(result.diagnostics.size(), 1U) << whole.substr(0, size);
    EXPECT_EQ(result.documents, Lines{});
  }
}

}  // namespace
}  // namespace trellis::json_reader_test
