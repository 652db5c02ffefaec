// Names the seed of a run that aborts, as broken invariants do.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>

namespace trellis {

class SeedGuard {
 public:
  explicit SeedGuard(uint64_t seed) {
    length_ =
        std::snprintf(text_, sizeof text_, "seed %llu\n", static_cast<unsigned long long>(seed));
    old_ = std::signal(SIGABRT, [](int) {
      if (write(STDERR_FILENO, text_, static_cast<size_t>(length_)) < 0) return;
    });
  }
  ~SeedGuard() { std::signal(SIGABRT, old_); }
  SeedGuard(const SeedGuard&) = delete;
  SeedGuard& operator=(const SeedGuard&) = delete;

 private:
  static inline char text_[64];
  static inline int length_ = 0;
  void (*old_)(int) = nullptr;
};

}  // namespace trellis
