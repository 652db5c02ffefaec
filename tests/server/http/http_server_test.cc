// Over real sockets, against clients of every kind.
#include "server/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/server/http/raw_client.h"
#include "tests/server/http/smuggling.h"

namespace trellis::http_server_test {
namespace {

using std::chrono::steady_clock;
using test::get;
using test::RawAnswer;
using test::RawClient;
using ::testing::HasSubstr;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

constexpr size_t kBigBytes = 8'000'000;

HttpResponse answer(const HttpRequest& request) {
  HttpResponse response;
  response.content_type = "text/plain";
  if (request.path == "/big") {
    response.body.assign(kBigBytes, 'x');
  } else if (request.path == "/medium") {
    response.body.assign(5000, 'x');
  } else if (request.path == "/throw") {
    throw std::runtime_error("broken \"here\"");
  } else if (request.path == "/tagged") {
    response.body = "tagged";
    response.headers = {{"ETag", "\"abc\""}, {"cache-control", "no-cache"}};
  } else if (request.path == "/split") {
    response.headers = {{"X-Split", "a\r\nX-Smuggled: b"}};
  } else {
    response.body = request.method + " " + request.path;
    for (const auto& [key, value] : request.query) response.body += " " + key + "=" + value;
  }
  return response;
}

HttpServerOptions quick() {
  HttpServerOptions options;
  options.listen.address = "127.0.0.1";
  options.head_deadline_ms = 400;
  options.write_deadline_ms = 600;
  options.drain_deadline_ms = 300;
  options.idle_ms = 500;
  return options;
}

std::unique_ptr<HttpServer> serve(const HttpServerOptions& options, HttpHandler handler = answer) {
  auto server = HttpServer::start(options, std::move(handler));
  EXPECT_TRUE(server) << server.error().message;
  return server ? std::move(*server) : nullptr;
}

RawAnswer ask(int port, const std::string& request) {
  RawClient client(port);
  client.send(request);
  return client.answer().value_or(RawAnswer{});
}

TEST(HttpServer, AnswersWithTheHeadersThatABrowserNeeds) {
  auto server = serve(quick());
  RawAnswer got = ask(server->port(), get("/a%20b?x=1&y=%2F"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "GET /a b x=1 y=/");
  EXPECT_EQ(got.headers["content-type"], "text/plain");
  EXPECT_EQ(got.headers["content-security-policy"],
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(got.headers["x-content-type-options"], "nosniff");
  EXPECT_EQ(got.headers["referrer-policy"], "no-referrer");
  EXPECT_EQ(got.headers["cache-control"], "no-store");
  EXPECT_EQ(server->url(), "http://127.0.0.1:" + std::to_string(server->port()));
}

TEST(HttpServer, AnswersAClientOfAnotherMaker) {
  auto server = serve(quick());
  httplib::Client client("127.0.0.1", server->port());
  client.set_keep_alive(true);
  for (int i = 0; i < 20; ++i) {
    httplib::Result got = client.Get("/n/" + std::to_string(i));
    ASSERT_TRUE(got) << httplib::to_string(got.error());
    EXPECT_EQ(got->body, "GET /n/" + std::to_string(i));
  }
  httplib::Result head = client.Head("/big");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->get_header_value("Content-Length"), std::to_string(kBigBytes));
  EXPECT_EQ(client.Post("/", "a body", "text/plain")->status, 405);
  EXPECT_EQ(client.Get("/medium", {{"Accept-Encoding", "gzip"}})->body, std::string(5000, 'x'));
}

TEST(HttpServer, HeadIsAGetWithoutABody) {
  auto server = serve(quick());
  RawClient client(server->port());
  client.send("HEAD /medium HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
  auto head = client.answer(test::BodySent::No);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->headers["content-length"], "5000");
  client.send(get("/next"));
  EXPECT_EQ(client.answer()->body, "GET /next");
}

TEST(HttpServer, OtherMethodsAreRefusedByName) {
  auto server = serve(quick());
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"}) {
    RawAnswer got =
        ask(server->port(), std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(got.status, 405) << method;
    EXPECT_EQ(got.headers["allow"], "GET, HEAD");
    EXPECT_THAT(got.body, HasSubstr("{\"error\": \"" + std::string(method)));
  }
}

TEST(HttpServer, CompressesWhatIsLargeForThoseWhoTakeIt) {
  auto server = serve(quick());
  RawAnswer zipped = ask(server->port(), get("/medium", "Accept-Encoding: br, gzip\r\n"));
  EXPECT_EQ(zipped.headers["content-encoding"], "gzip");
  EXPECT_EQ(zipped.headers["vary"], "Accept-Encoding");
  EXPECT_LT(zipped.body.size(), 200U);
  EXPECT_EQ(zipped.body.substr(0, 2), "\x1f\x8b");
  RawAnswer plain = ask(server->port(), get("/medium", "Accept-Encoding: br\r\n"));
  EXPECT_EQ(plain.headers.count("content-encoding"), 0U);
  EXPECT_EQ(plain.body.size(), 5000U);
  RawAnswer small = ask(server->port(), get("/small", "Accept-Encoding: gzip\r\n"));
  EXPECT_EQ(small.headers.count("content-encoding"), 0U);
}

TEST(HttpServer, RangesAreNotServed) {
  auto server = serve(quick());
  std::string ranges = "bytes=0-0";
  for (int i = 0; i < 1500; ++i) ranges += ",0-0";
  for (const char* name : {"Range", "rAnGe"}) {
    RawAnswer got = ask(server->port(), get("/medium", std::string(name) + ": " + ranges + "\r\n"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body.size(), 5000U);
  }
}

TEST(HttpServer, ATagThatTheClientHasIsNotSentAgain) {
  auto server = serve(quick());
  RawAnswer first = ask(server->port(), get("/tagged"));
  EXPECT_EQ(first.headers["etag"], "\"abc\"");
  EXPECT_EQ(first.headers["cache-control"], "no-cache");
  RawAnswer again = ask(server->port(), get("/tagged", "If-None-Match: W/\"x\", \"abc\"\r\n"));
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(ask(server->port(), get("/tagged", "If-None-Match: \"other\"\r\n")).status, 200);
}

TEST(HttpServer, FaultsOfAHandlerAreAnswers) {
  auto server = serve(quick());
  RawAnswer got = ask(server->port(), get("/throw"));
  EXPECT_EQ(got.status, 500);
  EXPECT_EQ(got.body, "{\"error\": \"broken \\\"here\\\"\"}\n");
  EXPECT_EQ(ask(server->port(), get("/split")).headers.count("x-smuggled"), 0U);
}

TEST(HttpServer, ForeignNamesAreRefusedOnLoopbackOnly) {
  auto server = serve(quick());
  auto with_name = [](const std::string& name) {
    return "GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n";
  };
  EXPECT_EQ(ask(server->port(), with_name("evil.example:80")).status, 403);
  EXPECT_EQ(ask(server->port(), with_name("127.0.0.1:99")).status, 200);
  EXPECT_EQ(ask(server->port(), "GET / HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(ask(server->port(), "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status, 400);
  EXPECT_EQ(ask(server->port(), "GET / HTTP/1.0\r\n\r\n").status, 200);

  HttpServerOptions open = quick();
  open.listen.address = "0.0.0.0";
  auto everywhere = serve(open);
  EXPECT_EQ(ask(everywhere->port(), with_name("trellis.example:80")).status, 200);
}

TEST(HttpServer, ListensOnIPv6) {
  HttpServerOptions options = quick();
  options.listen.address = "::1";
  auto server = HttpServer::start(options, answer);
  if (!server) {
    // On a machine without IPv6 the error must name the address.
    EXPECT_THAT(server.error().message, HasSubstr("cannot listen on http://[::1]:"));
    return;
  }
  RawClient client((*server)->port(), "::1");
  client.send("GET /six HTTP/1.1\r\nHost: [::1]\r\n\r\n");
  EXPECT_EQ(client.answer()->body, "GET /six");
  EXPECT_THAT((*server)->url(), HasSubstr("http://[::1]:"));
}

TEST(HttpServer, SaysWhyItCannotListen) {
  auto server = serve(quick());
  HttpServerOptions options = quick();
  options.listen.port = server->port();
  auto second = HttpServer::start(options, answer);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "cannot listen on " + server->url() + ": Address already in use");
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  auto server = serve(quick());
  RawClient client(server->port());
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += get("/" + std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 50; ++i) {
    auto got = client.answer();
    ASSERT_TRUE(got) << i;
    EXPECT_EQ(got->body, "GET /" + std::to_string(i));
  }
}

TEST(HttpServer, AConnectionEndsAfterItsRequests) {
  HttpServerOptions options = quick();
  options.requests_per_connection = 3;
  auto server = serve(options);
  RawClient client(server->port());
  client.send(get("/1") + get("/2") + get("/3") + get("/4"));
  EXPECT_EQ(client.answer()->headers.count("connection"), 0U);
  client.answer();
  EXPECT_EQ(client.answer()->headers["connection"], "close");
  EXPECT_FALSE(client.answer());
}

TEST(HttpServer, ConnectionCloseIsHeeded) {
  auto server = serve(quick());
  RawClient client(server->port());
  client.send(get("/", "Connection: close\r\n"));
  EXPECT_EQ(client.answer()->headers["connection"], "close");
  EXPECT_TRUE(client.closed());
}

TEST(HttpServer, GarbageIsRefusedAtOnce) {
  auto server = serve(quick());
  for (std::string garbage :
       {std::string("\x16\x03\x01\x02\x00\x01\x00", 7), std::string("garbage\r\n"),
        std::string("GET\n"), std::string("GET / HTTP/1.1\n\n"), std::string(64, '\0'),
        std::string("GET / HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n", 41),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET  HTTP/1.1\r\n\r\n"),
        get("no-slash"), get("/%zz")}) {
    auto start = steady_clock::now();
    RawClient client(server->port());
    client.send(garbage);
    auto got = client.answer();
    ASSERT_TRUE(got) << garbage;
    EXPECT_EQ(got->status, 400) << garbage;
    EXPECT_THAT(got->body, HasSubstr("{\"error\": \""));
    EXPECT_EQ(got->headers["x-content-type-options"], "nosniff");
    EXPECT_LT(seconds_since(start), 0.3) << garbage;
  }
}

TEST(HttpServer, HeadsThatSmuggleAreRefusedAndTheConnectionCloses) {
  auto server = serve(quick());
  for (const std::string& head : test::smuggling_heads()) {
    RawClient client(server->port());
    client.send(head + get("/smuggled"));
    auto got = client.answer();
    ASSERT_TRUE(got) << head;
    EXPECT_EQ(got->status, 400) << head;
    EXPECT_EQ(got->headers["connection"], "close") << head;
    EXPECT_FALSE(client.answer()) << head;
    EXPECT_TRUE(client.closed()) << head;
  }
}

TEST(HttpServer, HugeAndEndlessHeadsAreRefused) {
  auto server = serve(quick());
  RawAnswer huge = ask(server->port(), get("/", "X: " + std::string(20'000, 'x') + "\r\n"));
  EXPECT_EQ(huge.status, 413);
  EXPECT_EQ(huge.headers["connection"], "close");
  std::string just_fits =
      "Y: " + std::string(8000, 'y') + "\r\nZ: " + std::string(8000, 'z') + "\r\n";
  EXPECT_EQ(ask(server->port(), get("/", just_fits)).status, 200);

  RawClient endless(server->port());
  endless.send("GET / HTTP/1.1\r\n");
  for (int i = 0; i < 100'000 && endless.send("X: y\r\n"); ++i) {
  }
  auto got = endless.answer();
  EXPECT_TRUE(!got || got->status == 413);
  EXPECT_TRUE(endless.closed());
}

TEST(HttpServer, ABodyIsAnsweredUnread) {
  auto server = serve(quick());
  RawClient client(server->port());
  client.send(
      "GET /with HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n"
      "Expect: 100-continue\r\n\r\n");
  auto got = client.answer();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->headers["connection"], "close");
  std::string piece(1 << 20, 'b');
  auto start = steady_clock::now();
  int sent = 0;
  while (sent < 100 && client.send(piece)) ++sent;
  EXPECT_LT(sent, 100) << "100 MB were read";
  EXPECT_LT(seconds_since(start), 2);

  RawAnswer chunked =
      ask(server->port(), get("/", "Transfer-Encoding: chunked\r\n") + "5\r\nGET /\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.headers["connection"], "close");
}

TEST(HttpServer, ASlowHeadHasOneDeadline) {
  auto server = serve(quick());
  RawClient slow(server->port());
  auto start = steady_clock::now();
  slow.send("GET / HTTP/1.1\r\nX: ");
  // A byte now and then does not buy more time.
  for (int i = 0; i < 100 && slow.send("x"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  auto got = slow.answer();
  EXPECT_TRUE(!got || got->status == 408);
  EXPECT_TRUE(slow.closed());
  EXPECT_LT(seconds_since(start), 1.5);
}

TEST(HttpServer, SilentConnectionsAreClosed) {
  auto server = serve(quick());
  auto start = steady_clock::now();
  RawClient silent(server->port());
  EXPECT_TRUE(silent.closed());
  RawClient kept(server->port());
  kept.send(get("/"));
  ASSERT_TRUE(kept.answer());
  EXPECT_TRUE(kept.closed());
  EXPECT_LT(seconds_since(start), 2);
}

TEST(HttpServer, HalfOpenClientsGetTheirAnswer) {
  auto server = serve(quick());
  RawClient client(server->port());
  client.send(get("/medium"));
  client.finish_sending();
  auto got = client.answer();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body.size(), 5000U);
  EXPECT_TRUE(client.closed());
}

TEST(HttpServer, SlowClientsHoldNoThread) {
  HttpServerOptions options = quick();
  options.threads = 1;
  options.head_deadline_ms = 5'000;
  options.write_deadline_ms = 5'000;
  auto server = serve(options);
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 16; ++i) {
    slow.push_back(std::make_unique<RawClient>(server->port(), "127.0.0.1", 10'000, 4096));
    slow.back()->send(i % 2 == 0 ? "GET / HTTP/1.1\r\nX:" : get("/big"));
  }
  auto start = steady_clock::now();
  EXPECT_EQ(ask(server->port(), get("/quick")).body, "GET /quick");
  EXPECT_LT(seconds_since(start), 2);
}

TEST(HttpServer, ASlowReaderHasADeadline) {
  auto server = serve(quick());
  RawClient reader(server->port(), "127.0.0.1", 10'000, 4096);
  auto start = steady_clock::now();
  reader.send(get("/big"));
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_FALSE(reader.answer()) << "it took longer than it may";
  EXPECT_LT(seconds_since(start), 3);
  EXPECT_EQ(ask(server->port(), get("/big")).body.size(), kBigBytes);
}

TEST(HttpServer, NothingIsKeptForAReaderThatWasGivenUp) {
  auto server = serve(quick());
  RawClient reader(server->port(), "127.0.0.1", 10'000, 4096);
  reader.send(get("/big"));
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  EXPECT_TRUE(reader.closed());
  EXPECT_LT(reader.dropped_bytes(), 100'000) << "the kernel went on sending";
}

TEST(HttpServer, UnreadAnswersAreBounded) {
  HttpServerOptions options = quick();
  options.write_deadline_ms = 60'000;
  options.unsent_limit_bytes = 20'000'000;
  auto server = serve(options);
  std::vector<std::unique_ptr<RawClient>> readers;
  for (int i = 0; i < 6; ++i) {
    readers.push_back(std::make_unique<RawClient>(server->port(), "127.0.0.1", 10'000, 4096));
    readers.back()->send(get("/big"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_FALSE(readers[0]->answer()) << "the oldest is cut";
  auto last = readers.back()->answer();
  ASSERT_TRUE(last) << "the newest is not";
  EXPECT_EQ(last->body.size(), kBigBytes);
}

TEST(HttpServer, TooManyConnectionsAreTurnedAway) {
  HttpServerOptions options = quick();
  options.max_connections = 4;
  options.threads = 4;
  std::atomic<bool> go = false;
  auto server = serve(options, [&](const HttpRequest&) {
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return HttpResponse{.body = "done"};
  });
  std::vector<std::unique_ptr<RawClient>> busy;
  for (int i = 0; i < 4; ++i) {
    busy.push_back(std::make_unique<RawClient>(server->port()));
    busy.back()->send(get("/"));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  RawAnswer refused = ask(server->port(), get("/"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("too many"));
  go = true;
  for (auto& client : busy) EXPECT_EQ(client->answer()->body, "done");
}

TEST(HttpServer, IdleConnectionsMakeRoom) {
  HttpServerOptions options = quick();
  options.max_connections = 4;
  options.idle_ms = 60'000;
  options.head_deadline_ms = 60'000;
  auto server = serve(options);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 12; ++i) {
    idle.push_back(std::make_unique<RawClient>(server->port()));
    idle.back()->send(get("/" + std::to_string(i)));
    ASSERT_EQ(idle.back()->answer()->status, 200) << i;
  }
}

TEST(HttpServer, ConnectionsInTurnLeaveNothingBehind) {
  auto server = serve(quick());
  ask(server->port(), get("/"));
  int before = test::open_descriptors();
  for (int i = 0; i < 2000; ++i) {
    RawClient client(server->port());
    ASSERT_TRUE(client.connected()) << i;
    if (i % 4 == 0) client.send(get("/"));
    if (i % 4 == 1) client.send("garbage");
    if (i % 4 == 2) client.send("GET /half");
    if (i % 8 == 0) client.answer();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  EXPECT_LE(test::open_descriptors(), before);
}

TEST(HttpServer, StopsUnderLoad) {
  auto server = serve(quick());
  std::atomic<bool> done = false;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      while (!done) {
        RawClient client(server->port(), "127.0.0.1", 1000);
        if (!client.connected()) break;
        client.send(i % 2 == 0 ? get("/big") : get("/medium") + "GET /half");
        client.answer();
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  auto start = steady_clock::now();
  server->stop();
  EXPECT_LT(seconds_since(start), 1);
  done = true;
  for (std::thread& client : clients) client.join();
  server->stop();
  EXPECT_FALSE(RawClient(server->port()).connected());
}

}  // namespace
}  // namespace trellis::http_server_test
