// The thread of the leader election, with a connection of its own.
//
// Guarantees: `leads` becomes false by itself once the lead is over, even when the thread hangs;
// its clock goes on while the machine sleeps, and never jumps. Cost: `leads` reads an atomic and
// the clock, from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "server/kube/client/api_client.h"
#include "server/kube/client/credentials.h"
#include "server/kube/lead/election.h"
#include "server/log/log.h"

namespace trellis {

class Elector {
 public:
  // `log` must outlive it.
  Elector(Election::Options options, std::shared_ptr<Credentials> credentials, Log& log);
  ~Elector();
  Elector(const Elector&) = delete;
  Elector& operator=(const Elector&) = delete;

  bool leads() const { return !releasing_ && now_ms() < leads_until_ms_; }
  // "leading", or "standing by, HOLDER leads".
  std::string standing() const;
  int64_t failures() const { return failures_.load(std::memory_order_relaxed); }

  // Stops leading and gives up the lease, so that another elector need not wait for it. To be
  // called when nothing more is sent. False: the lease could not be given up within `patience`.
  bool release(std::chrono::milliseconds patience);

  // The identity of this process: the host's name, and a random suffix that no other process has.
  static std::string identity();

 private:
  static int64_t now_ms();
  void run(const std::stop_token& stop);
  void take_answer();
  void log_lead();

  Log& log_;
  const std::string identity_;
  ApiClient client_;
  std::atomic<int64_t> leads_until_ms_ = 0;
  std::atomic<int64_t> failures_ = 0;
  std::atomic<bool> releasing_ = false;
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::string holder_;           // guarded by mutex_
  bool logged_leading_ = false;  // what was logged last; used by the thread alone
  std::string logged_failure_;   // what was logged last; used by the thread alone
  bool ended_ = false;           // guarded by mutex_
  Election election_;            // used by the thread alone
  std::jthread thread_;
};

}  // namespace trellis
