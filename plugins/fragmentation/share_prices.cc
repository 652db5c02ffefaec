#include "plugins/fragmentation/share_prices.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trellis {
namespace {

constexpr int kRounds = 1500;
constexpr double kStep = 0.02;
constexpr double kMostUse = 20;  // an adjustment stays bounded
constexpr double kTie = 1e-12;
constexpr size_t kFull = 100;

// A size of shares, in percent rounded up.
struct Size {
  size_t percent = 0;
  double mix = 0;  // pods, so many that the whole mix requests one GPU
  double price = 0;
};

std::vector<Size> sizes_of(std::span<const ShareDemand> mix) {
  std::array<double, kFull + 1> pods{};
  double gpus = 0;
  for (const ShareDemand& demand : mix) {
    size_t percent = static_cast<size_t>((demand.portion + 9) / 10);
    pods[percent] += demand.pods;
    gpus += demand.pods * static_cast<double>(percent) / kFull;
  }
  std::vector<Size> sizes;
  for (size_t percent = 1; percent <= kFull; ++percent) {
    if (pods[percent] <= 0) continue;
    sizes.push_back({percent, pods[percent] / gpus, static_cast<double>(percent) / kFull});
  }
  return sizes;
}

// The most that shares packed into each part of a GPU are worth.
class Packing {
 public:
  void pack(std::span<const Size> sizes) {
    best_[0] = 0;
    for (size_t room = 1; room <= kFull; ++room) {
      best_[room] = best_[room - 1];
      last_[room] = kNone;
      for (size_t i = 0; i < sizes.size() && sizes[i].percent <= room; ++i) {
        double worth = best_[room - sizes[i].percent] + sizes[i].price;
        if (worth <= best_[room] + kTie) continue;
        best_[room] = worth;
        last_[room] = i;
      }
    }
  }

  // How many shares of each size a full GPU holds.
  void count(std::span<const Size> sizes, std::vector<double>& used) const {
    used.assign(sizes.size(), 0);
    for (size_t room = kFull; room > 0;) {
      size_t size = last_[room];
      if (size != kNone) used[size] += 1;
      room -= size == kNone ? 1 : sizes[size].percent;
    }
  }

  const std::array<double, kFull + 1>& best() const { return best_; }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  std::array<double, kFull + 1> best_{};
  std::array<size_t, kFull + 1> last_{};  // the size that was added last; kNone: none
};

}  // namespace

SharePrices::SharePrices() {
  for (size_t i = 0; i < worth_.size(); ++i) worth_[i] = static_cast<double>(i) / kFull;
}

SharePrices::SharePrices(std::span<const ShareDemand> mix) : SharePrices() {
  std::vector<Size> sizes = sizes_of(mix);
  if (sizes.empty()) return;
  Packing packing;
  std::array<double, kFull + 1> least{};
  std::vector<double> used;
  for (int round = 0; round < kRounds; ++round) {
    packing.pack(sizes);
    double full = packing.best()[kFull];
    if (round == 0 || full < least[kFull]) least = packing.best();
    packing.count(sizes, used);
    double mix_worth = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      double use = std::min(used[i] / sizes[i].mix / full, kMostUse);
      sizes[i].price *= std::exp(-kStep * (use - 1));
      mix_worth += sizes[i].mix * sizes[i].price;
    }
    for (Size& size : sizes) size.price /= mix_worth;
  }
  for (size_t i = 0; i < worth_.size(); ++i) worth_[i] = least[i] / least[kFull];
}

}  // namespace trellis
