// One thread that accepts, reads and writes all connections, and closes those that run out of time.
// Handlers run on other threads (answer_pool.h), so no client can delay this one.
//
// Guarantees: at most `max_connections` connections are open, and a few more that are being
// refused; answers that wait for their readers take at most `max_unsent_bytes` and one answer.
// Cost: O(connections) a wake-up.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "server/http/answer_pool.h"
#include "server/http/connection.h"
#include "server/system/descriptor.h"

namespace trellis {

struct LoopOptions {
  size_t max_connections;
  size_t max_unsent_bytes;
  ConnectionLimits limits;
  Refusals refusals;
  AnswerPoolOptions pool;
};

class ConnectionLoop {
 public:
  // `listener` does not block; `wake` is an eventfd.
  ConnectionLoop(Descriptor listener, Descriptor wake, LoopOptions options, HttpHandler handler);

  void run();   // until stop()
  void stop();  // from any thread

 private:
  using Connections = std::map<uint64_t, Connection>;  // in the order they came

  void wake() const;
  void wait(int64_t now_ns);
  void serve_ready(int64_t now_ns);
  void write_finished(int64_t now_ns);
  void expire(int64_t now_ns);
  void ask_and_sweep(int64_t now_ns);
  void accept_all(int64_t now_ns);
  void admit(Descriptor socket, int64_t now_ns);
  bool make_room(int64_t now_ns);
  void cut_slowest_readers(uint64_t spared);
  int wait_ms(int64_t now_ns) const;

  Descriptor listener_;
  Descriptor wake_;
  LoopOptions options_;
  std::atomic<bool> stopping_ = false;
  Connections connections_;
  uint64_t next_id_ = 0;
  int64_t accept_from_ns_ = 0;  // no descriptor was left: accept none before then
  bool backlog_waits_ = false;
  struct Polled {
    uint64_t connection;
    size_t slot;
  };
  std::vector<Polled> polled_;
  std::vector<pollfd> slots_;
  AnswerPool pool_;  // last: its threads wake the loop
};

}  // namespace trellis
