#include "server/http/listen_address.h"

#include <gtest/gtest.h>

namespace trellis::listen_address_test {
namespace {

TEST(ListenAddress, ReadsItsForms) {
  auto reads = [](std::string_view text) { return parse_listen(text).value_or(ListenAddress{}); };
  EXPECT_EQ(reads("127.0.0.1:8080"), (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_EQ(reads("[::1]:8080"), (ListenAddress{"::1", 8080}));
  EXPECT_EQ(reads(":8080"), (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_EQ(reads("localhost:0"), (ListenAddress{"127.0.0.1", 0}));
  EXPECT_EQ(reads("0.0.0.0:65535"), (ListenAddress{"0.0.0.0", 65535}));
}

TEST(ListenAddress, RefusesEverythingElse) {
  for (std::string_view text : {"", ":", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                                "127.0.0.1:-1", "127.0.0.1:80x", "1.2.3:80", "::1:80", "[::1]",
                                "[::1]80", "[127.0.0.1]:80", "[]:80", "example.com:80", "[::1"}) {
    EXPECT_FALSE(parse_listen(text)) << text;
  }
}

TEST(ListenAddress, KnowsLoopback) {
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* address : {"0.0.0.0", "10.0.0.1", "::", "fe80::1", "", "localhost"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST(ListenAddress, MakesUrls) {
  EXPECT_EQ(url_of({"127.0.0.1", 80}), "http://127.0.0.1:80");
  EXPECT_EQ(url_of({"::1", 80}), "http://[::1]:80");
}

TEST(ListenAddress, DistinguishesLocalNamesFromForeignOnes) {
  for (const char* host : {"localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:8080",
                           "10.1.2.3:80", "[::1]:8080", "[::1]", "localhost:"}) {
    EXPECT_TRUE(is_local_name(host)) << host;
  }
  for (const char* host : {"", "example.com", "localhost.example.com", "127.0.0.1.example.com",
                           "127.0.0.1:80.example.com", "[::1", "[::1]example.com", "a@127.0.0.1",
                           "localhost:x", "::1", "[localhost]"}) {
    EXPECT_FALSE(is_local_name(host)) << host;
  }
}

}  // namespace
}  // namespace trellis::listen_address_test
