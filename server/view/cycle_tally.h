// Counts gangs, workloads, pods, nodes and GPUs of a cycle: of one record, or updated from record
// to record, where only what a record touched is counted again.
//
// Cost: summarize() O(cluster); take() O(what is touched, the pods of touched gangs, and a look at
// each workload).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/reason.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

struct CycleSummary {
  int64_t gangs = 0;  // that have not finished
  int64_t gangs_placed = 0;
  int64_t pods = 0;
  int64_t pods_placed = 0;
  int64_t pods_evicted = 0;
  int64_t nodes = 0;
  int64_t gpus = 0;         // whole devices
  int64_t gpus_used = 0;    // of them: a pod holds them, or a slot of a workload
  int64_t gpus_closed = 0;  // of them: idle on closed nodes
  int64_t domains = 0;      // distinct domains that gangs with a constraint are placed in
};

class CycleTally {
 public:
  CycleTally() = default;
  CycleTally(CycleTally&&) = default;
  CycleTally& operator=(CycleTally&&) = default;
  ~CycleTally() = default;

  // REQUIRES: every record after the first one is taken, in order, with the cluster as the record's
  // cycle found it. A record in which everything is touched may be the first one.
  void take(const Cluster& cluster, const CycleRecord& record);
  // Counts the whole record, whatever it touched.
  void take_whole(const Cluster& cluster, const CycleRecord& record);

  CycleSummary summary() const;
  // The number of waiting gangs by their first reason; gangs without a reason are not included.
  const std::map<ReasonCode, int64_t>& waiting() const { return waiting_; }
  int64_t gangs_waiting() const { return gangs_waiting_; }
  int64_t workloads_waiting() const { return workloads_waiting_; }

 private:
  using Domains = std::map<std::pair<std::string, std::vector<std::string>>, int64_t>;

  // The part of a gang, or of a node, in the sums.
  struct GangPart {
    int32_t gangs = 0;
    int32_t gangs_placed = 0;
    int32_t pods = 0;
    int32_t pods_placed = 0;
    ReasonCode reason = ReasonCode::None;
    Domains::iterator domain;
    bool has_domain = false;
  };
  struct NodePart {
    int32_t nodes = 0;
    int64_t gpus = 0;
    int64_t gpus_used = 0;
    int64_t gpus_closed = 0;
  };
  GangPart count(const Cluster& cluster, const CycleRecord& record, GangId gang);
  void add(const GangPart& part, int sign);
  void add(const NodePart& part, int sign);
  void take(const Cluster& cluster, const CycleRecord& record, const Touched& touched);
  void take_gang(const Cluster& cluster, const CycleRecord& record, GangId gang);
  void take_node(const Cluster& cluster, const CycleRecord& record, NodeId node);

  IndexedVector<GangId, GangPart> gangs_;
  IndexedVector<NodeId, NodePart> nodes_;
  Domains domains_;  // placed gangs, by topology and domain
  std::map<ReasonCode, int64_t> waiting_;
  int64_t gangs_waiting_ = 0;
  int64_t workloads_waiting_ = 0;
  CycleSummary sums_;  // without domains
};

// Counts everything, whatever the record touched.
CycleSummary summarize(const Cluster& cluster, const CycleRecord& record);

}  // namespace trellis
