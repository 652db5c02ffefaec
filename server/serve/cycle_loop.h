// The thread that runs cycles: it looks at the source, runs a cycle each period and on every
// change, and hands over finished cycles. A source that has a bell wakes it; changes within a few
// milliseconds are taken together.
//
// Guarantees: only the source and the cycle itself make it wait. After a cycle that fails the last
// one remains valid.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "framework/config.h"
#include "server/serve/cycle_runner.h"

namespace trellis {

class CycleLoop {
 public:
  // Called on the loop's thread.
  struct Callbacks {
    std::function<void(std::shared_ptr<const FinishedCycle>, CycleRunner&)> finished;
    std::function<void(const std::string& why, CycleRunner&)> failed;
  };

  // `runner` belongs to the loop's thread from now until stop().
  CycleLoop(std::unique_ptr<CycleRunner> runner, Callbacks callbacks);
  ~CycleLoop();
  CycleLoop(const CycleLoop&) = delete;
  CycleLoop& operator=(const CycleLoop&) = delete;

  // Takes effect from the next cycle on.
  void configure(const Config& config);

  // False when the loop has not moved for so long that something must be wrong.
  bool healthy() const;

  // True: the loop has ended. False: a cycle was still running when the time was over.
  bool stop(std::chrono::milliseconds patience);

 private:
  void run(const std::stop_token& stop);
  void turn(int64_t& next_tick_ns);
  bool take_config();

  std::unique_ptr<CycleRunner> runner_;
  Callbacks callbacks_;
  std::shared_ptr<Bell> bell_;
  std::atomic<int64_t> heartbeat_ns_;
  std::atomic<int64_t> period_ns_;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::optional<Config> config_;  // guarded by mutex_
  bool ended_ = false;            // guarded by mutex_
  std::jthread thread_;
};

}  // namespace trellis
