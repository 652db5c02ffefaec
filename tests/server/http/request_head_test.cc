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
    EXPECT_TRUE(is_sound_head(head)) << head;
  }
}

TEST(RequestHead, WhatIsReadInDifferentWaysIsNot) {
  for (const std::string& head : test::smuggling_heads()) EXPECT_FALSE(is_sound_head(head)) << head;
}

}  // namespace
}  // namespace trellis::request_head_test
