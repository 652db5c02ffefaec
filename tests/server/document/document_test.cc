#include "server/document/document.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "server/document/document_builder.h"
#include "server/document/json_reader.h"
#include "server/document/json_text.h"

namespace trellis::document_test {
namespace {

// What a look at the only document of a text gives.
template <class T>
T look(const std::string& json, const std::function<T(Value)>& at) {
  T result{};
  std::vector<Diagnostic> diagnostics;
  ReadSink sink{"in.json",
                &diagnostics,
                [&](const Document& document, const ListHead&) { result = at(document.root()); },
                {}};
  read_json(json, sink);
  EXPECT_TRUE(diagnostics.empty()) << to_string(diagnostics.at(0));
  return result;
}

TEST(Document, PathsOfEveryElement) {
  std::string json = R"({"a":{"b/c":[1,{"d":null}],"e":"x"},"f":[[true]]})";
  std::vector<std::string> paths = look<std::vector<std::string>>(json, [](Value root) {
    std::vector<std::string> all;
    for (uint32_t i = 0; i < root.document()->size(); ++i) all.push_back(root.document()->path(i));
    return all;
  });
  std::vector<std::string> expected = {"$",
                                       "$.a",
                                       "$.a",
                                       "$.a[\"b/c\"]",
                                       "$.a[\"b/c\"]",
                                       "$.a[\"b/c\"][0]",
                                       "$.a[\"b/c\"][1]",
                                       "$.a[\"b/c\"][1].d",
                                       "$.a[\"b/c\"][1].d",
                                       "$.a.e",
                                       "$.a.e",
                                       "$.f",
                                       "$.f",
                                       "$.f[0]",
                                       "$.f[0][0]"};
  EXPECT_EQ(paths, expected);
}

TEST(Document, AskingNothingGivesNothing) {
  Value nothing;
  EXPECT_FALSE(nothing["a"]["b"].exists());
  EXPECT_TRUE(nothing.absent());
  EXPECT_EQ(nothing.text(), "");
  EXPECT_EQ(nothing.size(), 0U);
  EXPECT_EQ(nothing.items().begin(), nothing.items().end());
  EXPECT_EQ(nothing.members().begin(), nothing.members().end());
  EXPECT_EQ(describe(nothing), "nothing");
}

TEST(Document, Describe) {
  std::string json = R"([null,true,1.5,"t\u0001ext",[],{}])";
  std::vector<std::string> all;
  std::vector<Diagnostic> diagnostics;
  ReadSink sink{
      "in.json",
      &diagnostics,
      [&](const Document& document, const ListHead&) { all.push_back(describe(document.root())); },
      {}};
  read_json(json, sink);
  std::vector<std::string> expected = {"true", "the number 1.5", "\"t\\x01ext\"", "a list",
                                       "an object"};
  EXPECT_EQ(all, expected);  // null is no document
  EXPECT_EQ(trellis::in_quotes(std::string(200, 'x')), "\"" + std::string(80, 'x') + "...\"");
  // Not cut through a character.
  EXPECT_EQ(trellis::in_quotes(std::string(79, 'x') + "éé"), "\"" + std::string(79, 'x') + "...\"");
}

TEST(Document, HashIsOfTheContentAlone) {
  auto hash = [](const std::string& json) {
    return look<uint64_t>(json, [](Value root) { return content_hash(root); });
  };
  uint64_t one = hash(R"({"a":1,"b":[1,2],"c":{"d":"x","e":null}})");
  EXPECT_EQ(one, hash("{\"c\":{\"e\":null,\"d\":\"x\"},\n \"b\":[1,2], \"a\":1}"));
  EXPECT_NE(one, hash(R"({"a":1,"b":[2,1],"c":{"d":"x","e":null}})"));
  EXPECT_NE(one, hash(R"({"a":"1","b":[1,2],"c":{"d":"x","e":null}})"));
  EXPECT_NE(hash(R"({"a":"b"})"), hash(R"({"b":"a"})"));
  EXPECT_NE(hash("[[]]"), hash("[{}]"));
}

TEST(JsonText, IsReadBackAsItWas) {
  for (std::string json :
       {R"({"a":[],"b":{},"c":[{},[[]],1,-2.5e-3,"\u00e9\"\\\n\u0001",null,true,false]})",
        R"({"x":"y"})", R"({"a":[[1]]})"}) {
    auto text = [](const std::string& input) {
      std::string out;
      std::vector<Diagnostic> diagnostics;
      ReadSink sink{
          "in.json",
          &diagnostics,
          [&](const Document& document, const ListHead&) { out += json_text(document.root()); },
          {}};
      read_json(input, sink);
      return out;
    };
    EXPECT_EQ(text(text(json)), text(json));
  }
  EXPECT_EQ(json_text(Value()), "null");
}

TEST(JsonText, AdditionsAndManagedFields) {
  auto text = [](const std::string& json, const JsonAdditions& additions) {
    return look<std::string>(json, [&](Value root) { return json_text(root, additions); });
  };
  JsonAdditions all{.api_version = "v1", .kind = "Pod", .name = "p-1"};
  EXPECT_EQ(text(R"({"metadata":{"generateName":"p-","managedFields":[{"a":[1,{"b":2}]}]}})", all),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p-1","generateName":"p-"}})");
  EXPECT_EQ(text(R"({"metadata":{"name":"","x":1}})", {.name = "n"}),
            R"({"metadata":{"name":"n","x":1}})");
  EXPECT_EQ(text(R"({"metadata":{"managedFields":[]},"a":1})", {}), R"({"metadata":{},"a":1})");
}

TEST(DocumentBuilder, FindsEveryKeyThatStandsTwice) {
  auto count = [](int keys) {
    Document document;
    DocumentBuilder builder(document);
    std::vector<std::string> names;
    for (int i = 0; i < keys; ++i) names.push_back("k" + std::to_string(i % (keys - 2)));
    builder.begin(ValueKind::Object, 1);
    for (const std::string& name : names) {
      builder.key(name, 1);
      builder.null(1);
    }
    builder.end();
    return builder.duplicates().size();
  };
  EXPECT_EQ(count(5), 2U);
  EXPECT_EQ(count(1000), 2U);
}

TEST(DocumentBuilder, DepthIsBounded) {
  Document document;
  DocumentBuilder builder(document);
  for (size_t i = 0; i < kMaxDepth; ++i) ASSERT_TRUE(builder.begin(ValueKind::Array, 1));
  EXPECT_FALSE(builder.begin(ValueKind::Array, 1));
}

}  // namespace
}  // namespace trellis::document_test
