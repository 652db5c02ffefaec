// The wait before the next try: longer with each failure, and partly random, so that waits differ.
//
// Guarantees: waits double from kFirstMs to kMostMs, and each is extended by a random part of at
// most half of it; after kHealthyMs without a failure they start again at kFirstMs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace trellis {

class Backoff {
 public:
  static constexpr int64_t kFirstMs = 800;
  static constexpr int64_t kMostMs = 30'000;
  static constexpr int64_t kHealthyMs = 120'000;

  explicit Backoff(uint64_t seed) : random_(seed) {}

  // After a failure at `now_ms`.
  int64_t wait_ms(int64_t now_ms) {
    if (failed_ && now_ms - free_from_ms_ >= kHealthyMs) next_ms_ = kFirstMs;
    failed_ = true;
    int64_t wait = next_ms_ + below(next_ms_ / 2 + 1);
    next_ms_ = std::min(2 * next_ms_, kMostMs);
    free_from_ms_ = now_ms + wait;
    return wait;
  }

  // A random number in 0 .. bound - 1, also for other waits that must not end at the same time.
  int64_t below(int64_t bound) {
    random_ += 0x9e3779b97f4a7c15ULL;
    uint64_t mixed = (random_ ^ (random_ >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<int64_t>((mixed ^ (mixed >> 31)) % static_cast<uint64_t>(bound));
  }

 private:
  uint64_t random_;
  int64_t next_ms_ = kFirstMs;
  int64_t free_from_ms_ = 0;  // when the last wait was over
  bool failed_ = false;
};

}  // namespace trellis
