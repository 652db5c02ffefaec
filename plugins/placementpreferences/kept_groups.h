// Groups with the counts of a pod class, kept between queries and brought up to date by each query.
//
// Guarantees: the groups agree with the view at the time of the query; a few classes at a time are
// kept. For a query among some nodes only, the groups consist of these nodes. But where the class's
// counts are not exact (CountSource::exact), the groups consist of all nodes, only these nodes may
// be taken, and pods that run on the other nodes count, too.
// Cost: the first query of a class O(nodes), later ones O(nodes that changed x levels). Among some
// nodes only O(those nodes x labels), where counts are not exact O(nodes).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "framework/view.h"
#include "plugins/placementpreferences/group_tree.h"
#include "plugins/placementpreferences/recent_failures.h"
#include "plugins/placementpreferences/service_groups.h"

namespace trellis {

class KeptGroups {
 public:
  explicit KeptGroups(const ServicePods& pods) : pods_(pods) {}

  void open(const View& view);

  // For the query's class, mode, nodes and time. Valid until the next call.
  ServiceGroups& of(const DivisionQuery& query);
  const GroupTree& tree() const { return *asked_->tree; }  // of the last call

 private:
  struct Entry {
    PodClassId pod_class;
    FitMode mode = FitMode::Now;
    uint64_t read_to = 0;  // position in the change log
    uint64_t used = 0;     // when it was last queried
    uint64_t session = 0;  // the session that it was loaded in
    std::vector<FailingNode> failing;
    std::shared_ptr<const GroupTree> tree;
    std::unique_ptr<ServiceGroups> groups;
  };
  struct KeptTree {
    std::vector<StrId> labels;
    std::shared_ptr<const GroupTree> tree;
  };

  Entry& entry(PodClassId pod_class, FitMode mode);
  std::shared_ptr<const GroupTree> whole_tree(const std::vector<StrId>& labels);
  ServiceGroups& among(const DivisionQuery& query, FitMode mode,
                       std::span<const FailingNode> failing);
  void make(Entry& entry, std::shared_ptr<const GroupTree> tree);
  void load(Entry& entry, std::span<const int32_t> room, std::span<const NodeId> may_be_open);
  void follow(Entry& entry, std::span<const NodeId> touched);
  ServiceNode node_now(const Entry& entry, NodeId node) const;
  ResourceId resource(const PodSpec& spec) const;
  int64_t used(const Entry& entry, ResourceId resource, NodeId node) const;
  std::span<const int32_t> room(const Entry& entry) const;
  std::span<const int32_t> room_on(const Entry& entry, std::span<const NodeId> nodes);
  void fill_closed(PodClassId pod_class, std::span<const NodeId> may_be_open);

  const View* view_ = nullptr;
  const ServicePods& pods_;
  RecentFailures failures_;
  uint64_t generation_ = 0;  // of the nodes
  uint64_t session_ = 0;
  uint64_t clock_ = 0;
  std::vector<KeptTree> trees_;
  std::vector<std::unique_ptr<Entry>> entries_;
  Entry among_;  // of the last query among some nodes
  Entry* asked_ = nullptr;

  // By node, only filled where they are read.
  std::vector<int32_t> room_;
  std::vector<int32_t> running_;
  std::vector<int32_t> all_pods_;
  std::vector<int32_t> failing_;
  std::vector<int64_t> used_;
  std::vector<int64_t> capacity_;
  std::vector<uint8_t> closed_;
};

}  // namespace trellis
