// What the GPUs of a cluster are good for, as the last cycle left it: used, free, and free but
// stranded.
//
// Words: a free GPU on an open node is *useful* when pods of some kind of the mix (gpu_mix.h) can
// take it; else it is *stranded*. Each node is filled with pods of one kind, the one that takes
// most; what a mixture of kinds would take besides counts as stranded. The *allocation rate* is the
// part of all GPUs that is allocated. *Fragmentation* is the part of the free GPUs that a pod of
// the mix cannot use, in the mean over all pods of the mix (as in FGD, USENIX ATC'23, with the fit
// of all filters).
// Guarantees: free = useful + what is stranded, over all causes. Without a pod with GPUs no GPU is
// stranded.
// Cost: O(nodes x kinds), less where the fit cache knows the classes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "session/cycle/session.h"
#include "session/explain/domain_ref.h"
#include "session/explain/gpu_mix.h"

namespace trellis {

// Why no pod of the mix can take free GPUs. Causes of single nodes come first.
enum class StrandCause : uint8_t {
  Cpu,       // the node lacks CPUs for one more pod
  Memory,    // or memory
  Sharing,   // what is left of shared devices is less than a pod requests
  Size,      // fewer whole devices are free than a pod requests
  Rules,     // filters, ports, zones or other resources refuse the node
  Topology,  // the domain takes fewer pods than must be together
  Quota,     // queues have no quota for one more gang
};
inline constexpr size_t kStrandCauses = 7;

std::string_view to_string(StrandCause cause);  // cpu, memory, sharing, ...

// The largest gang of equal pods that one domain of a level takes now, by its GPUs.
struct LargestGang {
  DomainRef domain;
  size_t kind =
      0;  // of GpuReport::mix; of an empty mix, pods that request one GPU and nothing else
  int64_t pods = 0;
  int64_t gpu_milli = 0;  // of all its pods
};

// Amounts are thousandths of GPUs.
struct GpuReport {
  int64_t total = 0;
  int64_t allocated = 0;
  int64_t free = 0;    // on open nodes
  int64_t closed = 0;  // free, on closed nodes (is_closed)
  int64_t useful = 0;
  std::array<int64_t, kStrandCauses> stranded = {};
  double fragmentation = 0;  // 0 to 1
  std::vector<GpuKind> mix;
  std::vector<LargestGang> largest;  // by topology name, then level; levels that take none left out

  int64_t all_stranded() const { return free - useful; }
  int64_t mix_pods() const;
  double allocation_rate() const;  // 0 without GPUs
};

GpuReport report_gpus(Session& session);

}  // namespace trellis
