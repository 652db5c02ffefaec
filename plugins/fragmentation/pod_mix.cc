#include "plugins/fragmentation/pod_mix.h"

#include <algorithm>

namespace trellis {
namespace {

constexpr int64_t kCpuStep = 4 * kMilli;
constexpr int64_t kMemoryStep = int64_t{32} << 30;
constexpr size_t kTypicalShapes = 128;
constexpr double kRemembered = 8192;  // pods
constexpr double kForgotten = 0.25;   // a count below it is dropped

int64_t round_up(int64_t amount, int64_t step) { return (amount + step - 1) / step * step; }

}  // namespace

void PodMix::arrive(const PodShape& shape) {
  PodShape rounded = shape;
  rounded.cpu_milli = round_up(shape.cpu_milli, kCpuStep);
  rounded.memory_bytes = round_up(shape.memory_bytes, kMemoryStep);
  counts_[rounded] += 1;
  total_ += 1;
  ++arrived_;
  if (total_ < kRemembered) return;
  total_ = 0;
  for (auto entry = counts_.begin(); entry != counts_.end();) {
    entry->second /= 2;
    if (entry->second < kForgotten) {
      entry = counts_.erase(entry);
    } else {
      total_ += entry->second;
      ++entry;
    }
  }
}

std::vector<TypicalPod> PodMix::typical() const {
  std::vector<TypicalPod> pods;
  for (const auto& [shape, count] : counts_) pods.push_back({shape, count});
  std::stable_sort(pods.begin(), pods.end(),
                   [](const TypicalPod& a, const TypicalPod& b) { return a.part > b.part; });
  if (pods.size() > kTypicalShapes) pods.resize(kTypicalShapes);
  double sum = 0;
  for (const TypicalPod& pod : pods) sum += pod.part;
  for (TypicalPod& pod : pods) pod.part /= sum;
  return pods;
}

}  // namespace trellis
