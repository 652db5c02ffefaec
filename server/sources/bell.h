// Wakes a waiting thread. ring() never waits; several rings before a wait count as one.
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
    waiters_.notify_all();
  }

  // Waits until the bell rings or a stop is requested, at most `patience`. Returns at once when the
  // bell has rung since the last wait.
  void wait(const std::stop_token& stop, std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    waiters_.wait_for(lock, stop, patience, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any waiters_;
  bool rung_ = false;
};

}  // namespace trellis
