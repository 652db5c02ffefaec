#include "server/http/connection_loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "server/system/process.h"

namespace trellis {
namespace {

using State = Connection::State;

constexpr int64_t kLongestWaitMs = 60'000;
// Beyond the limit, for connections that are refused because there are too many.
constexpr size_t kRefusedAtOnce = 32;
// A connection whose head takes longer than this may be closed for a new one.
constexpr int64_t kPatienceNs = 1000 * kMs;
constexpr int64_t kAcceptPauseNs = 50 * kMs;
constexpr int kAcceptedAtOnce = 64;
// The most that the kernel buffers for a reader that does not read.
constexpr int kSendBufferBytes = 256 << 10;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class T>
void set_option(int socket, int level, int name, T value) {
  // A socket without the option still works.
  (void)::setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

ConnectionLoop::ConnectionLoop(Descriptor listener, Descriptor wake, LoopOptions options,
                               HttpHandler handler)
    : listener_(std::move(listener)),
      wake_(std::move(wake)),
      options_(std::move(options)),
      pool_(options_.pool, std::move(handler), [this] { this->wake(); }) {}

void ConnectionLoop::wake() const {
  uint64_t one = 1;
  // The write can only fail when the counter is full, and then the loop is awake.
  (void)!::write(wake_.get(), &one, sizeof one);
}

void ConnectionLoop::stop() {
  stopping_ = true;
  wake();
}

void ConnectionLoop::run() {
  set_niceness(options_.pool.niceness);
  while (!stopping_) {
    wait(now());
    int64_t now_ns = now();
    serve_ready(now_ns);
    write_finished(now_ns);
    expire(now_ns);
    ask_and_sweep(now_ns);
    if (backlog_waits_) accept_all(now_ns);
  }
  listener_.close();
  connections_.clear();
}

int ConnectionLoop::wait_ms(int64_t now_ns) const {
  int64_t next_ns = accept_from_ns_ > now_ns ? accept_from_ns_ : kNever;
  for (const auto& [id, connection] : connections_) {
    next_ns = std::min(next_ns, connection.deadline_ns());
  }
  int64_t wait_ns = std::max<int64_t>(next_ns - now_ns, 0);
  return static_cast<int>(std::min(wait_ns / kMs + 1, kLongestWaitMs));
}

void ConnectionLoop::wait(int64_t now_ns) {
  slots_.clear();
  polled_.clear();
  slots_.push_back({.fd = wake_.get(), .events = POLLIN, .revents = 0});
  int listener = accept_from_ns_ <= now_ns ? listener_.get() : -1;
  slots_.push_back({.fd = listener, .events = POLLIN, .revents = 0});
  for (const auto& [id, connection] : connections_) {
    bool input = connection.wants_input();
    if (!input && !connection.wants_output()) continue;
    polled_.push_back({.connection = id, .slot = slots_.size()});
    slots_.push_back({.fd = connection.socket(),
                      .events = static_cast<short>(input ? POLLIN : POLLOUT),
                      .revents = 0});
  }
  if (::poll(slots_.data(), slots_.size(), wait_ms(now_ns)) < 0) {
    for (pollfd& slot : slots_) slot.revents = 0;
  }
}

void ConnectionLoop::serve_ready(int64_t now_ns) {
  if (slots_[0].revents != 0) {
    uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof count);
  }
  backlog_waits_ = slots_[1].revents != 0;
  for (const Polled& polled : polled_) {
    if (slots_[polled.slot].revents == 0) continue;
    Connection& connection = connections_.at(polled.connection);
    connection.wants_output() ? connection.on_output(now_ns) : connection.on_input(now_ns);
  }
}

void ConnectionLoop::write_finished(int64_t now_ns) {
  for (AnswerPool::Finished& finished : pool_.take_finished()) {
    auto found = connections_.find(finished.connection);
    if (found == connections_.end()) continue;
    found->second.write(std::move(finished.answer), now_ns);
    found->second.on_output(now_ns);  // most answers fit at once
    cut_slowest_readers(finished.connection);
  }
}

// Cuts the oldest answers first: a client that reads at all had the longest time for those.
void ConnectionLoop::cut_slowest_readers(uint64_t spared) {
  for (;;) {
    size_t unsent = 0;
    Connection* oldest = nullptr;
    for (auto& [id, connection] : connections_) {
      unsent += connection.unsent_bytes();
      if (connection.state() != State::Writing || id == spared) continue;
      if (oldest == nullptr || connection.since_ns() < oldest->since_ns()) oldest = &connection;
    }
    if (unsent <= options_.max_unsent_bytes || oldest == nullptr) return;
    oldest->abandon();
  }
}

void ConnectionLoop::expire(int64_t now_ns) {
  for (auto& [id, connection] : connections_) {
    if (connection.state() != State::Closed && connection.deadline_ns() <= now_ns) {
      connection.on_deadline(now_ns);
    }
  }
}

void ConnectionLoop::ask_and_sweep(int64_t now_ns) {
  for (auto it = connections_.begin(); it != connections_.end();) {
    Connection& connection = it->second;
    if (connection.state() == State::Ready) pool_.ask(it->first, connection.take_request(now_ns));
    it = connection.state() == State::Closed ? connections_.erase(it) : std::next(it);
  }
}

void ConnectionLoop::accept_all(int64_t now_ns) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.valid()) {
      admit(std::move(socket), now_ns);
      continue;
    }
    bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (exhausted && !make_room(now_ns)) accept_from_ns_ = now_ns + kAcceptPauseNs;
    // Any other failure concerns one connection, or means that none is left.
    if (exhausted || errno == EAGAIN || errno == EWOULDBLOCK) return;
  }
}

void ConnectionLoop::admit(Descriptor socket, int64_t now_ns) {
  set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket.get(), SOL_SOCKET, SO_SNDBUF, kSendBufferBytes);
  bool welcome = connections_.size() < options_.max_connections || make_room(now_ns);
  if (!welcome && connections_.size() >= options_.max_connections + kRefusedAtOnce) return;
  auto [it, added] = connections_.try_emplace(next_id_++, std::move(socket), options_.limits,
                                              options_.refusals, now_ns);
  if (!welcome) it->second.refuse(options_.refusals.too_many, now_ns);
}

// Closes the connection that has kept the server waiting longest for its client.
bool ConnectionLoop::make_room(int64_t now_ns) {
  auto waits = [&](const Connection& connection) {
    if (connection.state() == State::Idle || connection.state() == State::Draining) return true;
    return connection.state() == State::Reading && now_ns - connection.since_ns() > kPatienceNs;
  };
  auto longest = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (!waits(it->second)) continue;
    if (longest == connections_.end() || it->second.since_ns() < longest->second.since_ns()) {
      longest = it;
    }
  }
  if (longest == connections_.end()) return false;
  connections_.erase(longest);
  return true;
}

}  // namespace trellis
