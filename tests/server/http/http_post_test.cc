// Requests with a body, over real sockets.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "server/http/http_server.h"
#include "tests/server/http/raw_client.h"

namespace trellis::http_post_test {
namespace {

using test::RawAnswer;
using test::RawClient;

HttpServerOptions with_bodies() {
  HttpServerOptions options;
  options.listen.address = "127.0.0.1";
  options.head_deadline_ms = 400;
  options.body_limit_bytes = 1000;
  return options;
}

HttpResponse echo(const HttpRequest& request) { return {.body = request.method + request.body}; }

std::unique_ptr<HttpServer> serve(const HttpServerOptions& options) {
  auto server = HttpServer::start(options, echo);
  EXPECT_TRUE(server) << server.error().message;
  return server ? std::move(*server) : nullptr;
}

RawAnswer ask(int port, const std::string& request) {
  RawClient client(port);
  client.send(request);
  return client.answer().value_or(RawAnswer{});
}

std::string post(const std::string& body, const std::string& more_headers = "") {
  return "POST / HTTP/1.1\r\nHost: localhost\r\n" + more_headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(HttpPost, ReadsTheBodyOfAPostInPieces) {
  auto server = serve(with_bodies());
  EXPECT_EQ(ask(server->port(), post("")).body, "POST");
  std::string request = post("\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  for (size_t piece : {request.size(), size_t{7}, size_t{1}}) {
    RawClient client(server->port());
    for (size_t at = 0; at < request.size(); at += piece) client.send(request.substr(at, piece));
    std::optional<RawAnswer> got = client.answer();
    ASSERT_TRUE(got) << piece;
    EXPECT_EQ(got->body, "POST\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(client.closed());
  }
}

TEST(HttpPost, RefusesBodiesThatAreTooMuchOrTooLate) {
  auto server = serve(with_bodies());
  EXPECT_EQ(ask(server->port(), post(std::string(1000, 'x'))).status, 200);
  EXPECT_EQ(ask(server->port(), post(std::string(1001, 'x'))).status, 413);
  EXPECT_EQ(ask(server->port(),
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                "99999999999999999999999\r\n\r\n")
                .status,
            413);
  EXPECT_EQ(ask(server->port(),
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                "\r\nhalf")
                .status,
            408);
  EXPECT_EQ(ask(server->port(),
                "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
                "chunked\r\n\r\n0\r\n\r\n")
                .status,
            411);
  EXPECT_EQ(ask(server->port(), post("", "Origin: http://elsewhere.example\r\n")).status, 403);
  EXPECT_EQ(ask(server->port(), post("", "Origin: http://localhost\r\n")).status, 200);
  HttpServerOptions without_bodies = with_bodies();
  without_bodies.body_limit_bytes = 0;
  EXPECT_EQ(ask(serve(without_bodies)->port(), post("x")).status, 405);
}

}  // namespace
}  // namespace trellis::http_post_test
