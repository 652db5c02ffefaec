// JSON and YAML writers, given the same calls.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "server/document/json_writer.h"
#include "server/document/yaml_writer.h"

namespace trellis::writers_test {
namespace {

using Content = std::function<void(DocumentWriter&)>;

std::string json(size_t expanded_depth, const Content& write_content) {
  StringSink sink;
  JsonWriter writer(sink, expanded_depth);
  write_content(writer);
  writer.finish();
  return sink.text();
}

std::string yaml(const Content& write_content) {
  StringSink sink;
  YamlWriter writer(sink);
  write_content(writer);
  writer.finish();
  return sink.text();
}

void report_a_bit_of_everything(DocumentWriter& out) {
  out.begin_object();
  out.field("kind", "Decisions");
  out.field("cycles", 3);
  out.field("ok", true);
  out.field("score", 0.5);
  out.begin_array("pods");
  for (const char* name : {"a", "b"}) {
    out.begin_object();
    out.field("name", name);
    out.begin_array("path"), out.text("b1"), out.text("7"), out.end_array();
    out.begin_object("details"), out.end_object();
    out.end_object();
  }
  out.end_array();
  out.begin_array("empty"), out.end_array();
  out.end_object();
}

TEST(JsonWriter, KeepsDeepContainersOnOneLine) {
  EXPECT_EQ(json(2, report_a_bit_of_everything),
            "{\n"
            " \"kind\":\"Decisions\",\n"
            " \"cycles\":3,\n"
            " \"ok\":true,\n"
            " \"score\":0.5,\n"
            " \"pods\":[\n"
            "  {\"name\":\"a\",\"path\":[\"b1\",\"7\"],\"details\":{}},\n"
            "  {\"name\":\"b\",\"path\":[\"b1\",\"7\"],\"details\":{}}\n"
            " ],\n"
            " \"empty\":[]\n"
            "}\n");
}

TEST(JsonWriter, LayoutDoesNotChangeTheContent) {
  auto flat = nlohmann::json::parse(json(0, report_a_bit_of_everything));
  for (size_t depth = 1; depth < 5; ++depth) {
    EXPECT_EQ(nlohmann::json::parse(json(depth, report_a_bit_of_everything)), flat);
  }
}

TEST(JsonWriter, EscapesWhatJsonDoesNotHold) {
  auto text = [](std::string_view value) {
    return json(0, [&](DocumentWriter& out) { out.text(value); });
  };
  EXPECT_EQ(text("a\"b\\c"), "\"a\\\"b\\\\c\"\n");
  EXPECT_EQ(text(std::string_view("\n\t\r\0\x1f", 5)), "\"\\n\\t\\r\\u0000\\u001f\"\n");
  EXPECT_EQ(text("größe ✓ 😀"), "\"größe ✓ 😀\"\n");
}

TEST(JsonWriter, BrokenUtf8BecomesReplacementCharacters) {
  for (std::string_view broken : {"\xff", "\xc3", "\xe2\x82", "\xc0\x80", "\xed\xa0\x80",
                                  "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "a\x80z"}) {
    std::string text = json(0, [&](DocumentWriter& out) { out.text(broken); });
    auto parsed = nlohmann::json::parse(text, nullptr, false);
    ASSERT_TRUE(parsed.is_string()) << text;
    EXPECT_NE(parsed.get<std::string>().find("\xEF\xBF\xBD"), std::string::npos);
  }
}

TEST(JsonWriter, LongDocumentsGoThroughTheBufferWhole) {
  auto write_numbers = [](DocumentWriter& out) {
    out.begin_array();
    for (int i = 0; i < 50'000; ++i) out.integer(i);
    out.end_array();
  };
  auto parsed = nlohmann::json::parse(json(1, write_numbers));
  ASSERT_EQ(parsed.size(), 50'000u);
  EXPECT_EQ(parsed.back(), 49'999);
}

TEST(YamlWriter, BlockStyleWithEmptyContainersInline) {
  EXPECT_EQ(yaml(report_a_bit_of_everything),
            "kind: Decisions\n"
            "cycles: 3\n"
            "ok: true\n"
            "score: 0.5\n"
            "pods:\n"
            "  - name: a\n"
            "    path:\n"
            "      - b1\n"
            "      - \"7\"\n"
            "    details: {}\n"
            "  - name: b\n"
            "    path:\n"
            "      - b1\n"
            "      - \"7\"\n"
            "    details: {}\n"
            "empty: []\n");
}

TEST(YamlWriter, EmptyRootAndNestedArrays) {
  EXPECT_EQ(yaml([](DocumentWriter& out) { out.begin_object(), out.end_object(); }), "{}\n");
  EXPECT_EQ(yaml([](DocumentWriter& out) {
              out.begin_array();
              out.begin_array(), out.integer(1), out.integer(2), out.end_array();
              out.begin_array(), out.end_array();
              out.end_array();
            }),
            "- - 1\n  - 2\n- []\n");
}

TEST(YamlWriter, QuotesWhatWouldNotReadBackAsText) {
  for (std::string_view plain : {"default/train", "a.b-c_d", "node1", "/path", "nodes"}) {
    EXPECT_TRUE(is_plain_yaml(plain)) << plain;
  }
  for (std::string_view quoted : {"", "7", "1.5", "-x", "true", "Yes", "NO", "on", "null", "~", "y",
                                  "a: b", "a #b", "2026-01-01", "0x1f", "[a", "a b", ".5", "n"}) {
    EXPECT_FALSE(is_plain_yaml(quoted)) << quoted;
  }
}

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(87), "87");
  EXPECT_EQ(number_text(200'000), "200000") << "shorter as 2e+05, and not for people";
  EXPECT_EQ(number_text(-1e15), "-1000000000000000");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-2.25), "-2.25");
}

}  // namespace
}  // namespace trellis::writers_test
