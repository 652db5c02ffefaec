// A case of tests/conformance/kueue: builds tree and counts straight from its objects, and asks
// Kueue's placement for each PodSet in order.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/string_table.h"
#include "framework/topology.h"
#include "topology/kueue_placement.h"
#include "topology/tree.h"

namespace trellis {

class KueueCase {
 public:
  using Json = nlohmann::json;
  using Amounts = std::map<std::string, int64_t>;

  explicit KueueCase(const Json& input);

  // {"admitted": ..., "assignments": {...}} as `expect` has them, or with the reason.
  Json decide(KueuePlacer& placer);

 private:
  struct PodSet {
    std::string name;
    int64_t count = 0;
    Amounts requests;  // of one pod
    Json spec;
    Json request;
  };
  // A request in levels and modes; `error` as Kueue words it.
  struct Normal {
    KueueRequest request;
    std::vector<SegmentLevel> segments;
    std::string error;
  };

  void read_nodes();
  void read_running_pods();
  void read_pod_sets();
  const Json* object(const std::string& kind) const;

  // A group goes where its first member stands; the smaller PodSet is the leader, of equal ones the
  // second.
  bool place(const PodSet& workers, const PodSet* leader, KueuePlacer& placer, Json& decision);
  bool place_group(const std::string& group, KueuePlacer& placer, Json& decision);

  Normal normalise(const PodSet& workers) const;
  int level_of(const std::string& label) const;  // -1: none
  bool admits(const Json& node, const PodSet& workers) const;
  int64_t liking(const Json& node, const PodSet& workers) const;
  void take(DomainId leaf, const PodSet& pods, int64_t count);
  Json assignment(const std::vector<DomainPods>& parts) const;
  std::string reason(const KueueAnswer& answer, const KueueRequest& request) const;

  const Json& input_;
  bool gate(const std::string& name, bool otherwise) const;

  StringTable strings_;
  Topology topology_;
  std::vector<std::string> labels_;  // of the levels
  TopologyTree tree_;
  IndexedVector<NodeId, const Json*> nodes_;
  IndexedVector<DomainId, Amounts> free_;  // by leaf
  std::vector<PodSet> pod_sets_;
};

}  // namespace trellis
