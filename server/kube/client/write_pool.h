// Threads that carry writes to the API server, each over a connection of its own that is kept
// alive.
//
// Guarantees: what is more urgent goes first, and what is equally urgent in the order in which it
// came. A write is sent once; whether it is tried again is up to its caller. Just
// before it is sent `may_write` is asked: a service that no longer leads sends nothing, even of
// what it queued before. Cost: submit O(log) under a lock, from any thread.
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
    // More gain nothing where the API server has few processors.
    int connections = 16;
    std::function<bool()> may_write;  // from any thread
  };
  // Called on a thread of the pool. `sent` false: it was not allowed to go out.
  struct Outcome {
    bool sent = true;
    ApiAnswer answer;
  };
  using Done = std::function<void(const Outcome&)>;

  explicit WritePool(Options options);
  // What is being sent is waited for, or cut off; what still waits is dropped, without `done`.
  ~WritePool();
  WritePool(const WritePool&) = delete;
  WritePool& operator=(const WritePool&) = delete;

  // `done` may be empty, and must not wait.
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
