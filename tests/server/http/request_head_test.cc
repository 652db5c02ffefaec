#include "server/http/request_head.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/http/smuggling.h"

namespace trellis::request_head_test {
namespace {

TEST(RequestHead, WhatUsualClientsSendIsSound) {
  for (const char* head :
       {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "HEAD /debug/gangs/a/b?format=text&x=%20 HTTP/1.1\r\nHost: [::1]:8080\r\nAccept:*/*\r\n"
        "X-Empty:\r\nX-Tab:\ta \r\nUser-Agent: M\xc3\xbcller (x; y)\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n",
        "GET http://localhost:80/x HTTP/1.1\r\nHost: LOCALHOST:80\r\n\r\n",
        "GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    EXPECT_TRUE(parse_request_head(head)) << head;
  }
}

TEST(RequestHead, WhatIsReadInDifferentWaysIsNot) {
  for (const std::string& head : test::smuggling_heads()) {
    EXPECT_FALSE(parse_request_head(head)) << head;
  }
}

TEST(RequestHead, KeepsWhatAnAnswerDependsOn) {
  auto head = parse_request_head(
      "GET /a?b HTTP/1.1\r\nhOST:\tlocalhost \r\nAccept: text/plain\r\nACCEPT: a/b\r\n"
      "Accept-Encoding: gzip\r\nIf-None-Match: \"%41\"\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->request.method, "GET");
  EXPECT_EQ(head->target, "/a?b");
  EXPECT_EQ(head->request.host, "localhost");
  EXPECT_EQ(head->request.accept, "text/plain");
  EXPECT_EQ(head->request.accept_encoding, "gzip");
  EXPECT_EQ(head->request.if_none_match, "\"%41\"");
  EXPECT_TRUE(head->has_one_host);
  EXPECT_EQ(head->after, AfterAnswer::KeepOpen);
}

TEST(RequestHead, SaysWhetherItNamesOneHost) {
  auto has_one_host = [](const std::string& head) {
    return parse_request_head(head + "\r\n")->has_one_host;
  };
  EXPECT_TRUE(has_one_host("GET / HTTP/1.0\r\n"));
  EXPECT_FALSE(has_one_host("GET / HTTP/1.1\r\n"));
  EXPECT_FALSE(has_one_host("GET / HTTP/1.1\r\nHost:\r\n"));
  EXPECT_FALSE(has_one_host("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n"));
}

TEST(RequestHead, SaysWhatBecomesOfTheConnection) {
  auto after = [](const std::string& version, const std::string& header) {
    return parse_request_head("GET / HTTP/" + version + "\r\n" + header + "\r\n")->after;
  };
  for (const char* header : {"", "Connection: keep-alive\r\n", "Content-Length: 0\r\n"}) {
    EXPECT_EQ(after("1.1", header), AfterAnswer::KeepOpen) << header;
  }
  for (const char* header :
       {"Connection: Close\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"}) {
    EXPECT_EQ(after("1.1", header), AfterAnswer::Close) << header;
  }
  EXPECT_EQ(after("1.0", ""), AfterAnswer::Close);
  EXPECT_EQ(after("1.0", "Connection: Keep-Alive\r\n"), AfterAnswer::KeepOpen);
}

}  // namespace
}  // namespace trellis::request_head_test
