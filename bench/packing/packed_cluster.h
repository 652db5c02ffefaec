// A cluster in which pods arrive one by one: a cycle of the real scheduler places each or rejects
// it. A pod that has a place moves by defragment() only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/packing/openb.h"
#include "framework/config.h"
#include "session/cluster/cluster.h"
#include "session/cycle/scheduler.h"

namespace trellis::bench {

class PackedCluster {
 public:
  PackedCluster(const Config& config, std::span<const OpenbNode> nodes);

  void add_topology(std::string_view name, const std::vector<std::string_view>& levels);

  // Places the pod and returns its name, or rejects it.
  std::optional<std::string> arrive(const OpenbPod& pod);
  void leave(const std::string& name, const OpenbPod& pod);

  // Carries out a plan of defragmentation that moves at most so many GPUs; the pods that moved.
  int64_t defragment(int64_t moved_milli);

  // `node`: by index.
  size_t pods_on(size_t node) const { return cluster_.pods_of(NodeId(node)).size(); }
  int64_t capacity_milli() const { return capacity_milli_; }
  int64_t used_milli() const { return used_milli_; }

 private:
  void place(PodId pod, const PodOutcome& outcome);
  void remove(const std::string& name);

  Cluster cluster_;
  Scheduler scheduler_;
  int64_t capacity_milli_ = 0;
  int64_t used_milli_ = 0;
  int64_t arrived_ = 0;
  TimeUs now_ = 0;
};

}  // namespace trellis::bench
