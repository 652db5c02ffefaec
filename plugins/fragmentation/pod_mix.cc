#include "plugins/fragmentation/pod_mix.h"

#include <algorithm>

namespace trellis {
namespace {

constexpr int64_t kCpuStep = 4 * kMilli;
constexpr int64_t kMemoryStep = int64_t{32} << 30;
constexpr size_t kTypicalShapes = 128;
constexpr double kRemembered = 16384;  // pods
constexpr double kForgotten = 0.25;    // a count below it is dropped

int64_t round_up(int64_t amount, int64_t step) { return (amount + step - 1) / step * step; }

PodShape rounded(PodShape shape) {
  shape.cpu_milli = round_up(shape.cpu_milli, kCpuStep);
  shape.memory_bytes = round_up(shape.memory_bytes, kMemoryStep);
  return shape;
}

// The count of a shape; a new one is made where there is none.
ArrivedPods& count_of(std::vector<ArrivedPods>& counts, const PodShape& shape) {
  auto found = std::ranges::lower_bound(counts, shape, {}, &ArrivedPods::shape);
  if (found == counts.end() || found->shape != shape) found = counts.insert(found, {shape});
  return *found;
}

}  // namespace

void PodMix::arrive(const PodShape& shape) {
  ArrivedPods& count = count_of(counts_, rounded(shape));
  if (count.present > 0) {
    --count.present;
    return;
  }
  count.pods += 1;
  total_ += 1;
  ++arrived_;
}

void PodMix::fade() {
  while (total_ >= kRemembered) {
    total_ = 0;
    for (ArrivedPods& old : counts_) {
      old.pods /= 2;
      if (old.pods >= kForgotten) total_ += old.pods;
    }
    std::erase_if(counts_, [](const ArrivedPods& old) { return old.pods < kForgotten; });
  }
}

void PodMix::end_recall() {
  for (ArrivedPods& count : counts_) count.present = 0;
  std::erase_if(counts_, [](const ArrivedPods& count) { return count.pods <= 0; });
}

std::vector<TypicalPod> PodMix::typical() const {
  std::vector<TypicalPod> pods;
  for (const ArrivedPods& count : counts_) pods.push_back({count.shape, count.pods});
  std::stable_sort(pods.begin(), pods.end(),
                   [](const TypicalPod& a, const TypicalPod& b) { return a.part > b.part; });
  if (pods.size() > kTypicalShapes) pods.resize(kTypicalShapes);
  double sum = 0;
  for (const TypicalPod& pod : pods) sum += pod.part;
  for (TypicalPod& pod : pods) pod.part /= sum;
  return pods;
}

std::vector<ArrivedPods> PodMix::counts(std::span<const PodShape> present) const {
  std::vector<ArrivedPods> counts = counts_;
  for (const PodShape& shape : present) ++count_of(counts, rounded(shape)).present;
  return counts;
}

void PodMix::recall(std::span<const ArrivedPods> counts, int64_t arrived) {
  counts_.assign(counts.begin(), counts.end());
  std::ranges::sort(counts_, {}, &ArrivedPods::shape);
  total_ = 0;
  for (const ArrivedPods& count : counts_) total_ += count.pods;
  arrived_ = arrived;
}

}  // namespace trellis
