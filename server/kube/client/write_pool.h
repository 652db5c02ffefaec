// Threads that send writes to the API server, each over a connection of its own that is kept open.
//
// Guarantees: more urgent writes are sent first, equally urgent ones in the order of submit(). A
// write is sent once; its caller decides whether to try it again. `may_write` is called just before
// a write is sent: a service that no longer leads sends nothing, not even what it queued before.
// Cost: submit O(1) under a lock, from any thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/kube/client/api_client.h"
#include "server/kube/client/credentials.h"

namespace trellis {

// Most urgent first.
enum class Urgency : uint8_t { Lease, Bind, Evict, Status, Event };
inline constexpr size_t kUrgencies = 5;

class WritePool {
 public:
  static constexpr int64_t kTimeoutMs = 10'000;

  struct Options {
    std::shared_ptr<Credentials> credentials;
    // More connections gain nothing where the API server has few processors.
    int connections = 16;
    std::function<bool()> may_write;  // called from any thread
  };
  // The argument of Done, which runs on a thread of the pool. `sent` false: `may_write` refused.
  struct Outcome {
    bool sent = true;
    ApiAnswer answer;
  };
  using Done = std::function<void(const Outcome&)>;

  explicit WritePool(Options options);
  // Waits for the writes that are being sent, or cuts them off. Drops the queued writes without
  // calling their `done`.
  ~WritePool();
  WritePool(const WritePool&) = delete;
  WritePool& operator=(const WritePool&) = delete;

  // `done` may be empty, and must not block.
  void submit(Urgency urgency, ApiRequest request, Done done);

 private:
  struct Write {
    ApiRequest request;
    Done done;
  };
  struct Worker {
    explicit Worker(std::shared_ptr<Credentials> credentials) : client(std::move(credentials)) {}
    ApiClient client;
    bool ended = false;  // guarded by mutex_
    std::jthread thread;
  };
  void run(Worker& worker, const std::stop_token& stop);
  bool take(const std::stop_token& stop, Write& write);

  Options options_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::array<std::deque<Write>, kUrgencies> queues_;  // guarded by mutex_
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace trellis
