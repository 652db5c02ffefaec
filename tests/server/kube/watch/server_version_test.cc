#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/kube/watch/discovery.h"

namespace trellis::server_version_test {
namespace {

Result<ServerVersion> read(const ApiAnswer& answer) {
  return read_server_version([&](const std::string& path) {
    EXPECT_EQ(path, "/version");
    return answer;
  });
}

TEST(ServerVersion, DecidesWhoCopiesTheLabelsOfABinding) {
  for (auto [text, copies] : {std::pair(R"({"major":"1","minor":"36"})", true),
                              std::pair(R"({"major":"1","minor":"35+"})", true),
                              std::pair(R"({"major":"1","minor":"34+"})", false),
                              std::pair(R"({"major":"1","minor":"9"})", false),
                              std::pair(R"({"major":"2","minor":"0"})", true)}) {
    Result<ServerVersion> version = read({200, text, "", 0});
    ASSERT_TRUE(version.has_value()) << text;
    EXPECT_EQ(copies_labels_of_binds(*version), copies) << text;
  }
}

TEST(ServerVersion, WhatSaysNoneIsNone) {
  EXPECT_FALSE(read({403, "", "", 0}).has_value());
  for (const char* text : {"", "[]", "{}", R"({"major":"1","minor":"+"})", R"({"minor":"35"})"}) {
    EXPECT_FALSE(read({200, text, "", 0}).has_value()) << text;
  }
}

}  // namespace
}  // namespace trellis::server_version_test
