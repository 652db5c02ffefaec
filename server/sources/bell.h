// Wakes a thread that waits. ring() never waits; rings that were not waited for yet count as one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace trellis {

class Bell {
 public:
  void ring() {
    {
      std::lock_guard lock(mutex_);
      rung_ = true;
    }
    heard_.notify_all();
  }

  // Until it rings, or has rung since the last wait; until it is to stop, or the time is over.
  void wait(const std::stop_token& stop, std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    heard_.wait_for(lock, stop, patience, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any heard_;
  bool rung_ = false;
};

}  // namespace trellis
