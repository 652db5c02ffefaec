// Shows the progress of reading on a terminal, once reading takes longer than a second.
#pragma once

#include <chrono>
#include <cstdint>

#include "server/app/console.h"

namespace trellis {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `start`: when reading began. The destructor wipes the line.
  Progress(Console& console, Clock::time_point start) : console_(console), start_(start) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `bytes_total` 0: not known, as for standard input.
  void update(int64_t bytes_done, int64_t bytes_total, Clock::time_point now);

 private:
  Console& console_;
  Clock::time_point start_;
  Clock::time_point drawn_{};
  bool shown_ = false;
};

}  // namespace trellis
