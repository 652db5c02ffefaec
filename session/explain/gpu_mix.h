// The pods with GPUs that a cluster has, running or waiting, by kind: what free GPUs are measured
// against.
//
// Words: pods are of one *kind* when they have equal specs, come from the same queue, and as many
// of them must share a domain of the same level. The *mix* is the most frequent kinds.
// Cost: O(pods + workloads).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/resources.h"
#include "session/cycle/session.h"

namespace trellis {

// The class of a kind's pods: one for each flavor that a workload may get.
struct GpuClass {
  PodClassId pod_class;
  StrId flavor;         // kNone: no flavor adds anything
  TopologyId topology;  // kNone: no level is required
  int level = -1;       // required
  bool operator==(const GpuClass&) const = default;
};

struct GpuKind {
  std::string owner;  // "gang NAMESPACE/NAME" or "workload NAMESPACE/NAME": the first by name
  GangId gang;        // the owner; kNone: a workload
  WorkloadId workload;
  std::vector<GpuClass> classes;
  int64_t pods = 0;       // of this kind
  ResourceId resource;    // kGpu or kAmdGpu
  int64_t gpu_milli = 0;  // of each pod; a part by GPU memory counts as whole devices
  int64_t together = 1;   // pods of the kind that must be placed in one domain at once
};

// Most frequent first, then by owner; at most 32 kinds. Pods of DaemonSets, finished pods and pods
// that leave do not count. A workload counts by its pods that have a node, else by its PodSets.
std::vector<GpuKind> gpu_mix(const Session& session);

}  // namespace trellis
