// The bytes of answers, without sockets.
#include "server/http/http_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace trellis::http_codec_test {
namespace {

HttpResponse respond(const HttpRequest& request) {
  HttpResponse response{.content_type = "text/plain"};
  if (request.path == "/empty") return response;
  response.body = std::string(request.path == "/long" ? 2000 : 3, 'x');
  response.headers = {{"ETag", "W/\"a\""}, {"cache-control", "no-cache"}, {"X-Bad", "a\r\nb"}};
  return response;
}

EncodedAnswer answer(const std::string& request_line, const std::string& headers) {
  static const HttpCodec codec({.idle_s = 7}, respond);
  return codec.answer(parse_request_head(request_line + "\r\n" + headers + "\r\n").value());
}

std::string get(const std::string& path, const std::string& headers) {
  return answer("GET " + path + " HTTP/1.1", "Host: localhost\r\n" + headers).bytes;
}

const std::string kPolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
    "'none'\r\n";
const std::string kSafety =
    "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\r\n";

TEST(HttpCodec, AnswersByteForByte) {
  EXPECT_EQ(get("/x", ""),
            "HTTP/1.1 200 OK\r\nAccept-Ranges: none\r\ncache-control: no-cache\r\n"
            "Content-Length: 3\r\n" +
                kPolicy +
                "Content-Type: text/plain\r\nETag: W/\"a\"\r\nKeep-Alive: timeout=7, max=5\r\n" +
                kSafety + "xxx");
  EXPECT_EQ(get("/x", "If-None-Match: \"b\", \"a\"\r\nConnection: close\r\n"),
            "HTTP/1.1 304 Not Modified\r\nAccept-Ranges: none\r\ncache-control: no-cache\r\n"
            "Connection: close\r\nContent-Length: 0\r\n" +
                kPolicy + "ETag: W/\"a\"\r\n" + kSafety);
  EXPECT_EQ(get("/empty", ""),
            "HTTP/1.1 200 OK\r\nAccept-Ranges: none\r\nCache-Control: no-store\r\n"
            "Content-Length: 0\r\n" +
                kPolicy + "Keep-Alive: timeout=7, max=5\r\n" + kSafety);
  EXPECT_EQ(refusal(413, "too \"large\""),
            "HTTP/1.1 413 Payload Too Large\r\nAccept-Ranges: none\r\nCache-Control: no-store\r\n"
            "Connection: close\r\nContent-Length: 27\r\n" +
                kPolicy + "Content-Type: application/json\r\n" + kSafety +
                "{\"error\": \"too \\\"large\\\"\"}\n");
}

TEST(HttpCodec, AnswersToHeadHaveTheHeadersOfTheWholeBody) {
  std::string whole = get("/long", "");
  std::string head = answer("HEAD /long HTTP/1.1", "Host: localhost\r\n").bytes;
  EXPECT_NE(head.find("\r\nContent-Length: 2000\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  EXPECT_NE(whole.find("\r\nVary: Accept-Encoding\r\n"), std::string::npos);
}

TEST(HttpCodec, AnswersOfHttp10SayThatTheConnectionCloses) {
  EncodedAnswer old = answer("GET / HTTP/1.0", "");
  EXPECT_EQ(old.after, AfterAnswer::Close);
  EXPECT_NE(old.bytes.find("\r\nConnection: close\r\n"), std::string::npos);
}

}  // namespace
}  // namespace trellis::http_codec_test
