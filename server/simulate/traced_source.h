// The gangs of a trace as objects of a cluster.
//
// A gang that does not say how many pods it has gets as few equal ones as fit the cluster's largest
// node, by its GPUs, else by its CPUs. Its queue is the Queue of that name; a cluster without
// Queues has none. Where nodes have the label of a partition, a gang runs on the nodes of the
// partition that is named as its queue, and gangs of other queues are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/result.h"
#include "framework/topology.h"
#include "server/simulate/gang_source.h"
#include "server/simulate/traced_gang.h"
#include "session/cluster/cluster.h"

namespace trellis {

inline constexpr std::string_view kTraceNamespace = "trace";
inline constexpr std::string_view kPartitionLabel = "trellis.scheduler/partition";

class TracedSource : public GangSource {
 public:
  // `gangs` outlive the source; the first comes at `start` + its arrival. An error: the cluster has
  // no such level, or the pods of a gang cannot be equal.
  static Result<TracedSource> make(std::span<const TracedGang> gangs, TimeUs start,
                                   const Cluster& cluster);

  size_t size() const override { return gangs_.size(); }
  size_t left_out() const { return left_out_; }
  GangPlan plan(size_t gang) const override;
  Objects objects(size_t gang, Vocabulary& vocabulary) const override;

 private:
  // Of one pod.
  struct Pod {
    int64_t count = 0;
    int64_t gpu_milli = 0;
    int64_t cpu_milli = 0;
    int64_t memory = 0;
  };
  struct Level {
    std::string topology;
    std::string label;
  };

  explicit TracedSource(TimeUs start) : start_(start) {}
  void choose(std::span<const TracedGang> gangs);
  void measure(const Cluster& cluster);
  std::string find_levels(const Cluster& cluster);
  Pod pod_of(const TracedGang& gang) const;
  void set_queue(const TracedGang& traced, StringTable& strings, Gang& gang) const;
  PodSpec spec_of(const TracedGang& traced, const Pod& pod, StringTable& strings) const;

  std::vector<const TracedGang*> gangs_;
  TimeUs start_;
  ResourceId gpu_ = kGpu;       // the kind of which the cluster has most
  int64_t node_gpu_milli_ = 0;  // of the largest node
  int64_t node_cpu_milli_ = 0;
  std::map<std::string, Level, std::less<>> levels_;  // by the trace's word
  std::vector<std::string> queues_;                   // sorted
  std::set<std::string, std::less<>> partitions_;
  size_t left_out_ = 0;
};

}  // namespace trellis
