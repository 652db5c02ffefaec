#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "server/http/connection_loop.h"

namespace trellis {
namespace {

constexpr int kBacklog = 512;

struct BoundSocket {
  Descriptor socket;
  int port;
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

SocketAddress socket_address(const ListenAddress& listen) {
  SocketAddress address;
  auto port = htons(static_cast<uint16_t>(listen.port));
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET6, listen.address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = port;
    address.size = sizeof *six;
    return address;
  }
  auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (inet_pton(AF_INET, listen.address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = port;
    address.size = sizeof *four;
  }
  return address;
}

tl::unexpected<Error> failure(const ListenAddress& listen, int code) {
  return error("cannot listen on " + url_of(listen) + ": " + std::generic_category().message(code));
}

int port_of(const sockaddr_storage& storage) {
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

Result<BoundSocket> bind_and_listen(const ListenAddress& listen) {
  SocketAddress address = socket_address(listen);
  if (address.size == 0) return failure(listen, EADDRNOTAVAIL);
  Descriptor socket(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return failure(listen, errno);
  int on = 1;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto* name = reinterpret_cast<sockaddr*>(&address.storage);
  if (::bind(socket.get(), name, address.size) != 0 || ::listen(socket.get(), kBacklog) != 0 ||
      ::getsockname(socket.get(), name, &address.size) != 0) {
    return failure(listen, errno);
  }
  int port = port_of(address.storage);
  return BoundSocket{.socket = std::move(socket), .port = port};
}

CodecOptions codec_options(const HttpServerOptions& options) {
  return {.names = is_loopback(options.listen.address) ? AllowedNames::Local : AllowedNames::Any,
          .bodies = options.body_limit_bytes > 0 ? Bodies::Read : Bodies::Refused,
          .idle_s = std::max<int64_t>(options.idle_ms / 1000, 1)};
}

LoopOptions loop_options(const HttpServerOptions& options) {
  return {.max_connections = options.max_connections,
          .max_unsent_bytes = static_cast<size_t>(options.unsent_limit_bytes),
          .limits = {.head_bytes = options.head_limit_bytes,
                     .body_bytes = options.body_limit_bytes,
                     .head_ns = options.head_deadline_ms * kMs,
                     .idle_ns = options.idle_ms * kMs,
                     .answer_ns = options.write_deadline_ms * kMs,
                     .drain_ns = options.drain_deadline_ms * kMs,
                     .requests = options.requests_per_connection},
          .refusals = {.malformed = refusal(400, "this is no HTTP request"),
                       .too_slow = refusal(408, "the request took too long to arrive"),
                       .too_large = refusal(413, "the request's head is too large"),
                       .too_much = refusal(413, "the request's body is too large"),
                       .too_many = refusal(503, "too many connections at once")},
          .pool = {.threads = options.threads,
                   .niceness = options.niceness,
                   .codec = codec_options(options)}};
}

// Threads that are started while this object exists block all signals: the main thread takes those.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

class HttpServer::Running {
 public:
  Running(Descriptor listener, Descriptor wake, const HttpServerOptions& options,
          HttpHandler handler)
      : loop_(std::move(listener), std::move(wake), loop_options(options), std::move(handler)),
        thread_([this] { loop_.run(); }) {}
  ~Running() {
    loop_.stop();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  ConnectionLoop loop_;
  std::thread thread_;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                      HttpHandler handler) {
  Result<BoundSocket> bound = bind_and_listen(options.listen);
  if (!bound) return tl::unexpected(bound.error());
  Descriptor wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake.valid()) return failure(options.listen, errno);
  SignalsBlocked blocked;
  auto running = std::make_unique<Running>(std::move(bound->socket), std::move(wake), options,
                                           std::move(handler));
  ListenAddress listen{.address = options.listen.address, .port = bound->port};
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listen), std::move(running)));
}

HttpServer::HttpServer(ListenAddress listen, std::unique_ptr<Running> running)
    : listen_(std::move(listen)), running_(std::move(running)) {}

HttpServer::~HttpServer() { stop(); }

void HttpServer::stop() { running_.reset(); }

}  // namespace trellis
