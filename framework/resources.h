// Resources: names, units, and sparse amounts.
//
// Units, always integers in int64: cpu in milli-CPU, memory and ephemeral storage in bytes, GPUs
// (`nvidia.com/gpu`, `amd.com/gpu`) in thousandths of a device, anything else in counts. `pods` is
// a resource like any other: each pod requests 1, so the pod limit needs no case of its own.
// Requests of pods and amounts of nodes saturate at kMaxAmount: a double represents each of them
// exactly, and their quotients truncate exactly (session/fits/fit_kernels.cc). Sums over pods,
// nodes and quotas saturate at kMaxSum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/growing_array.h"
#include "framework/ids.h"

namespace trellis {

inline constexpr int64_t kMaxAmount = int64_t{1} << 51;
// Two sums can be added, and a third of either sign, without overflow.
inline constexpr int64_t kMaxSum = int64_t{1} << 61;
inline constexpr int64_t kMilli = 1000;

inline constexpr bool is_saturated(int64_t sum) { return sum >= kMaxSum || sum <= -kMaxSum; }

// Both are within +-kMaxSum. A saturated sum stays saturated, whatever is subtracted from it: its
// true value is lost, and it must not seem smaller. Code that keeps sums computes such a sum again.
inline constexpr int64_t add_to_sum(int64_t sum, int64_t amount) {
  if (is_saturated(sum)) [[unlikely]]
    return sum;
  return std::clamp(sum + amount, -kMaxSum, kMaxSum);
}

// `amount` is within +-kMaxSum.
inline constexpr int64_t saturating_product(int64_t amount, int64_t times) {
  int64_t product = 0;
  if (__builtin_mul_overflow(amount, times, &product)) [[unlikely]] {
    return (amount < 0) == (times < 0) ? kMaxSum : -kMaxSum;
  }
  return std::clamp(product, -kMaxSum, kMaxSum);
}

// What is left of a node once an amount is taken, or given back if it is negative. A value that has
// reached -kMaxAmount stays there, so that an over-full node never seems to have room.
inline constexpr int64_t take_amount(int64_t left, int64_t amount) {
  if (left <= -kMaxAmount) [[unlikely]]
    return left;
  return std::max(left - amount, -kMaxAmount);
}

inline constexpr ResourceId kCpu{0U};
inline constexpr ResourceId kMemory{1U};
inline constexpr ResourceId kPods{2U};
inline constexpr ResourceId kGpu{3U};     // nvidia.com/gpu
inline constexpr ResourceId kAmdGpu{4U};  // amd.com/gpu

// How an amount of a resource is counted and printed.
enum class Unit : uint8_t { MilliCpu, Bytes, MilliGpu, Count };

// One thread may intern while others find and read.
class ResourceTable {
 public:
  ResourceTable();

  ResourceId intern(std::string_view name);
  ResourceId find(std::string_view name) const;
  const std::string& name(ResourceId id) const { return names_[id.value]; }
  Unit unit(ResourceId id) const;
  size_t size() const { return names_.size(); }

  static bool is_gpu(ResourceId id) { return id == kGpu || id == kAmdGpu; }

 private:
  GrowingArray<std::string> names_;
};

struct ResourceAmount {
  ResourceId resource;
  int64_t amount = 0;
  auto operator<=>(const ResourceAmount&) const = default;
};

// Sparse amounts, sorted by resource, no resource twice, no zero amount.
class ResourceList {
 public:
  int64_t get(ResourceId id) const;
  void set(ResourceId id, int64_t amount);
  void add(ResourceId id, int64_t amount);   // saturates at kMaxSum
  void add(const ResourceList& other);       // saturates at kMaxSum
  void raise_to(const ResourceList& other);  // element-wise maximum
  void cap(int64_t most);                    // no amount above it
  std::span<const ResourceAmount> items() const { return items_; }
  bool empty() const { return items_.empty(); }
  auto operator<=>(const ResourceList&) const = default;

 private:
  std::vector<ResourceAmount> items_;
};

}  // namespace trellis
