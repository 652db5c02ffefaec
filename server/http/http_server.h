// Answers GET and HEAD, and POST where it is allowed, over HTTP/1.1, on threads of its own:
// docs/http.md. Bounded in connections, sizes, times and memory whatever clients do; what a client
// sends is read up to the end of a request's head, and of a POST's body, and no further.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/result.h"
#include "server/http/http_message.h"
#include "server/http/listen_address.h"

namespace trellis {

struct HttpServerOptions {
  ListenAddress listen;
  size_t threads = 4;            // that work on answers
  int niceness = 0;              // of its threads: above 0 they give way to cycles
  size_t max_connections = 256;  // open at once, those that wait included
  int64_t head_limit_bytes = 16 << 10;
  int64_t body_limit_bytes = 0;            // of a POST; 0: POST is refused
  int64_t unsent_limit_bytes = 256 << 20;  // of answers that their readers have not taken
  int64_t head_deadline_ms = 5'000;        // for a whole head
  int64_t write_deadline_ms = 30'000;      // for a client to take a whole answer
  int64_t drain_deadline_ms = 1'000;       // for a client to close after the last answer
  int64_t idle_ms = 15'000;                // of a kept connection
  int64_t requests_per_connection = 1'000;
};

class HttpServer {
 public:
  // Binds (port 0: any that is free) and serves. The handler is called on several threads at once.
  static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                   HttpHandler handler);
  ~HttpServer();

  const ListenAddress& listen() const { return listen_; }  // with the port that was bound
  int port() const { return listen_.port; }
  std::string url() const { return url_of(listen_); }

  // Closes every connection. Waits for handlers that run, but for no client. May be called again.
  void stop();

 private:
  class Running;
  HttpServer(ListenAddress listen, std::unique_ptr<Running> running);

  ListenAddress listen_;
  std::unique_ptr<Running> running_;
};

}  // namespace trellis
