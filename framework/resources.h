// Resources: names, units, and sparse amounts.
//
// Units, always integers in int64: cpu in milli-CPU, memory and ephemeral storage in bytes, GPUs
// (`nvidia.com/gpu`, `amd.com/gpu`) in thousandths of a device, anything else in counts. `pods` is
// a resource like any other: each pod asks for 1, so the pod limit needs no case of its own.
// Amounts saturate at kMaxAmount: a double holds every one of them, and their quotients truncate
// exactly (session/placement/fit_kernels.cc), and it is far from overflow when many are added.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"

namespace trellis {

inline constexpr int64_t kMaxAmount = int64_t{1} << 51;
inline constexpr int64_t kMilli = 1000;

inline constexpr ResourceId kCpu{0U};
inline constexpr ResourceId kMemory{1U};
inline constexpr ResourceId kPods{2U};
inline constexpr ResourceId kGpu{3U};     // nvidia.com/gpu
inline constexpr ResourceId kAmdGpu{4U};  // amd.com/gpu

// How an amount of a resource is counted and printed.
enum class Unit : uint8_t { MilliCpu, Bytes, MilliGpu, Count };

class ResourceTable {
 public:
  ResourceTable();

  ResourceId intern(std::string_view name);
  ResourceId find(std::string_view name) const;
  const std::string& name(ResourceId id) const { return names_[id]; }
  Unit unit(ResourceId id) const;
  size_t size() const { return names_.size(); }

  static bool is_gpu(ResourceId id) { return id == kGpu || id == kAmdGpu; }

 private:
  IndexedVector<ResourceId, std::string> names_;
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
  void add(ResourceId id, int64_t amount);   // saturates
  void add(const ResourceList& other);       // saturates
  void raise_to(const ResourceList& other);  // element-wise maximum
  std::span<const ResourceAmount> items() const { return items_; }
  bool empty() const { return items_.empty(); }
  auto operator<=>(const ResourceList&) const = default;

 private:
  std::vector<ResourceAmount> items_;
};

}  // namespace trellis
