#include "server/http/request_target.h"

#include <gtest/gtest.h>

#include "tests/support/percent_encoded.h"

namespace trellis::request_target_test {
namespace {

using Segments = std::vector<std::string>;
using Query = std::map<std::string, std::string>;

TEST(RequestTarget, IsPathSegmentsAndQuery) {
  auto target = parse_request_target("/debug/gangs/ns/name?format=text&limit=7");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/debug/gangs/ns/name");
  EXPECT_EQ(target->segments, (Segments{"debug", "gangs", "ns", "name"}));
  EXPECT_EQ(target->query, (Query{{"format", "text"}, {"limit", "7"}}));
}

TEST(RequestTarget, DecodesPartByPart) {
  auto target = parse_request_target("/a%2Fb/c+d/%e2%82%ac?x%3D=1+%2B1&flag&empty=&&parent=b1/r1");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (Segments{"a/b", "c+d", "\xe2\x82\xac"}));
  EXPECT_EQ(target->query,
            (Query{{"x=", "1 +1"}, {"flag", ""}, {"empty", ""}, {"parent", "b1/r1"}}));
}

TEST(RequestTarget, RootAndSlashesAtTheEnd) {
  EXPECT_EQ(parse_request_target("/")->segments, Segments{});
  EXPECT_EQ(parse_request_target("/")->path, "/");
  EXPECT_EQ(parse_request_target("/a/")->segments, Segments{"a"});
  EXPECT_EQ(parse_request_target("//a")->segments, (Segments{"", "a"}));
}

TEST(RequestTarget, AbsoluteFormLosesItsName) {
  EXPECT_EQ(parse_request_target("http://h:80/a?b=c#d")->segments, Segments{"a"});
  EXPECT_EQ(parse_request_target("http://h:80/a?b=c#d")->query, (Query{{"b", "c"}}));
  EXPECT_EQ(parse_request_target("http://h")->path, "/");
}

TEST(RequestTarget, RefusesWhatItDoesNotUnderstand) {
  for (std::string_view text : {"", "a", "*", "?a", "/%", "/%1", "/%zz", "/a?b=%4", "/a?a=1&a=2"}) {
    auto target = parse_request_target(text);
    ASSERT_FALSE(target) << text;
    EXPECT_FALSE(target.error().message.empty());
  }
  EXPECT_EQ(parse_request_target("/a?a=1&a=2").error().message,
            "the parameter \"a\" is given twice");
}

TEST(RequestTarget, WhatIsEncodedReadsBack) {
  std::string every_byte;
  for (int c = 0; c < 256; ++c) every_byte += static_cast<char>(c);
  std::string encoded = percent_encoded(every_byte);
  auto target = parse_request_target("/" + encoded + "?" + encoded + "=" + encoded);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, Segments{every_byte});
  EXPECT_EQ(target->query, (Query{{every_byte, every_byte}}));
}

}  // namespace
}  // namespace trellis::request_target_test
