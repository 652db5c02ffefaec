// A token bucket: a limit of a rate, with a burst. Time comes in as an argument.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/time.h"

namespace trellis {

struct Rate {
  double per_second = 1;
  double burst = 1;
};

class TokenBucket {
 public:
  explicit TokenBucket(const Rate& rate) : rate_(rate), tokens_(rate.burst) {}

  // False: there is no token yet, and none is taken.
  bool take(TimeUs now) {
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  bool has(TimeUs now) {
    fill(now);
    return tokens_ >= 1;
  }
  // When there is a token again.
  TimeUs next_at(TimeUs now) {
    fill(now);
    if (tokens_ >= 1) return now;
    double wait = (1 - tokens_) / rate_.per_second * static_cast<double>(kSecondUs);
    return now + static_cast<TimeUs>(std::ceil(wait)) + 1;
  }

 private:
  // A clock that was set back adds no tokens.
  void fill(TimeUs now) {
    if (filled_at_ != kNoTime && now > filled_at_) {
      double passed = static_cast<double>(now - filled_at_) / static_cast<double>(kSecondUs);
      tokens_ = std::min(rate_.burst, tokens_ + passed * rate_.per_second);
    }
    filled_at_ = now;
  }

  Rate rate_;
  double tokens_;
  TimeUs filled_at_ = kNoTime;
};

}  // namespace trellis
