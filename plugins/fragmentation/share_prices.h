// What a part of a GPU is worth to pods that request parts, in proportion to a whole GPU.
//
// Parts that no mix of requests fills are worth less than their size: where all pods request 60 %,
// 40 % are worth nothing. The worths are the prices at which filling GPUs with the mix pays best,
// found as the dual of packing the mix into GPUs (a cutting-stock problem), by repeated
// adjustment: what a full GPU takes more of than the mix has of it becomes cheaper.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace trellis {

// Pods that request this part of a GPU, in any unit.
struct ShareDemand {
  int32_t portion = 0;  // thousandths, 1..999
  double pods = 0;
};

class SharePrices {
 public:
  // Every part is worth its size.
  SharePrices();
  // Of a mix; without any, as above.
  explicit SharePrices(std::span<const ShareDemand> mix);

  // REQUIRES: 0 <= portion <= 1000. Of 1000: 1.
  double worth(int64_t portion) const { return worth_[static_cast<size_t>(portion / 10)]; }

 private:
  std::array<double, 101> worth_;  // by percent, rounded down
};

}  // namespace trellis
