#include "session/explain/demand_part.h"

#include <algorithm>
#include <span>

#include "framework/topology_levels.h"
#include "session/placement/pod_rows.h"

namespace trellis {
namespace {

// A node of the gang's tree while it is summed up; the last one is the gang itself.
struct Branch {
  std::vector<PodId> asked;  // waiting pods that it must have placed
  int64_t absent = 0;        // pods that it must have besides, and that do not wait
  std::vector<NodeId> placed;
  std::vector<size_t> children;
  TopologyConstraint topology;
};

TopologyConstraint inherit(TopologyConstraint own, const TopologyConstraint& above) {
  if (own.empty()) return above;
  if (!own.topology.valid()) own.topology = above.topology;
  return own;
}

// Adds to a branch the pods of its children: of as many as must have their minimum, those that need
// fewest pods.
void sum_up(std::vector<Branch>& branches, size_t at, int32_t min_children) {
  std::vector<size_t> children = branches[at].children;
  for (size_t child : children) {
    const std::vector<NodeId>& placed = branches[child].placed;
    branches[at].placed.insert(branches[at].placed.end(), placed.begin(), placed.end());
  }
  if (min_children != Subgroup::kAll && static_cast<size_t>(min_children) < children.size()) {
    std::stable_sort(children.begin(), children.end(), [&](size_t a, size_t b) {
      return branches[a].asked.size() < branches[b].asked.size();
    });
    children.resize(static_cast<size_t>(std::max(min_children, 0)));
    std::sort(children.begin(), children.end());
  }
  for (size_t child : children) {
    branches[at].absent += branches[child].absent;
    const std::vector<PodId>& asked = branches[child].asked;
    branches[at].asked.insert(branches[at].asked.end(), asked.begin(), asked.end());
  }
}

std::vector<AskedRow> rows_of(const Session& session, std::span<const PodId> pods) {
  std::vector<AskedRow> rows;
  for (RowPods& row : group_rows(session.snapshot(), pods)) {
    rows.push_back({row.pod_class, static_cast<int64_t>(row.pods.size()), std::move(row.pods)});
  }
  return rows;
}

class GangTree {
 public:
  GangTree(const Session& session, GangId gang)
      : session_(session),
        cluster_(session.cluster()),
        id_(gang),
        gang_(cluster_.gangs()[gang]),
        branches_(gang_.subgroups.size() + 1),
        waiting_(session.waiting_pods(gang)) {
    for (size_t i = 0; i < gang_.subgroups.size(); ++i) {
      int32_t parent = gang_.subgroups[i].parent;
      branches_[parent < 0 ? top() : static_cast<size_t>(parent)].children.push_back(i);
    }
    branches_[top()].topology = gang_.topology;
    for (size_t i = 0; i < top(); ++i) {
      int32_t parent = gang_.subgroups[i].parent;
      const Branch& above = branches_[parent < 0 ? top() : static_cast<size_t>(parent)];
      branches_[i].topology = inherit(gang_.subgroups[i].topology, above.topology);
    }
    if (gang_.subgroups.empty()) {
      add_leaf(branches_[top()], StrId(), gang_.min_member);
    } else {
      add_subgroups();
    }
  }

  std::vector<DemandPart> parts() const {
    std::vector<DemandPart> parts;
    auto add = [&](size_t at) {
      DemandPart part = part_of(at);
      if (!part.rows.empty()) parts.push_back(std::move(part));
    };
    if (gang_.subgroups.empty() || !gang_.topology.empty()) add(top());
    for (size_t i = 0; i < top(); ++i) {
      if (is_leaf(i) || !gang_.subgroups[i].topology.empty()) add(i);
    }
    return parts;
  }

  DemandPart whole() const { return part_of(top()); }

 private:
  size_t top() const { return gang_.subgroups.size(); }
  bool is_leaf(size_t i) const { return branches_[i].children.empty(); }
  bool belongs(PodId pod, StrId subgroup) const {
    return gang_.subgroups.empty() || cluster_.pods()[pod].pod.subgroup == subgroup;
  }

  void add_leaf(Branch& leaf, StrId subgroup, int64_t minimum) {
    int64_t missing = minimum;
    for (PodId pod : cluster_.pods_of(id_)) {
      if (!belongs(pod, subgroup)) continue;
      PodState state = session_.snapshot().pod(pod);
      if (state.status == PodStatus::Succeeded || will_remain(state.status)) --missing;
      if (will_remain(state.status) && state.node.valid()) leaf.placed.push_back(state.node);
    }
    for (PodId pod : waiting_) {
      if (static_cast<int64_t>(leaf.asked.size()) >= std::max<int64_t>(missing, 0)) break;
      if (belongs(pod, subgroup)) leaf.asked.push_back(pod);
    }
    leaf.absent = std::max<int64_t>(0, missing - static_cast<int64_t>(leaf.asked.size()));
  }

  void add_subgroups() {
    for (size_t i = top(); i-- > 0;) {
      const Subgroup& subgroup = gang_.subgroups[i];
      if (is_leaf(i)) {
        add_leaf(branches_[i], subgroup.name, subgroup.min_member);
      } else {
        sum_up(branches_, i, subgroup.min_subgroup);
      }
    }
    Branch& whole = branches_[top()];
    sum_up(branches_, top(), gang_.min_subgroup);
    int64_t missing = gang_.min_member - session_.snapshot().gang_counts()[id_].placed;
    std::vector<PodId> asked = whole.asked;
    std::sort(asked.begin(), asked.end());
    for (PodId pod : waiting_) {
      if (static_cast<int64_t>(whole.asked.size()) >= missing) break;
      if (!std::binary_search(asked.begin(), asked.end(), pod)) whole.asked.push_back(pod);
    }
  }

  // For a part that already has its minimum, or where no pod may be placed at all.
  std::vector<AskedRow> one_more(StrId subgroup) const {
    for (PodId pod : waiting_) {
      if (!subgroup.valid() || belongs(pod, subgroup)) return rows_of(session_, {&pod, 1});
    }
    PodId first;
    for (PodId pod : cluster_.pods_of(id_)) {
      if (subgroup.valid() && !belongs(pod, subgroup)) continue;
      if (has_finished(session_.snapshot().pod(pod).status)) continue;
      if (!first.valid() || cluster_.pods()[pod].pod.name < cluster_.pods()[first].pod.name) {
        first = pod;
      }
    }
    if (!first.valid()) return {};
    return {{cluster_.pods()[first].pod_class, 1, {}}};
  }

  DemandPart part_of(size_t at) const {
    bool whole = at == top();
    DemandPart part;
    if (!whole) part.subgroup = gang_.subgroups[at].name;
    part.topology = branches_[at].topology;
    part.rows = rows_of(session_, branches_[at].asked);
    bool stands = part.rows.empty();
    if (stands) part.rows = one_more(part.subgroup);
    if (part.rows.empty()) return part;
    int64_t absent = branches_[at].absent;
    part.rows.front().pods =
        stands ? std::max<int64_t>(1, absent) : part.rows.front().pods + absent;
    part.one_more = stands && absent <= 0;
    part.segments = whole ? gang_.segments : gang_.subgroups[at].segments;
    part.placed = branches_[at].placed;
    part.by_count = !branches_[at].children.empty();
    return part;
  }

  const Session& session_;
  const Cluster& cluster_;
  GangId id_;
  const Gang& gang_;
  std::vector<Branch> branches_;  // as Gang::subgroups, then the gang
  std::vector<PodId> waiting_;
};

}  // namespace

int64_t DemandPart::pods() const {
  int64_t pods = 0;
  for (const AskedRow& row : rows) pods += row.pods;
  return pods;
}

PartLevels levels_of(const Cluster& cluster, const TopologyConstraint& constraint) {
  if (!constraint.topology.valid()) return {};
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId topology = cluster.find_topology(strings.view(constraint.topology));
  if (!topology.valid()) return {};
  ResolvedLevels levels = resolve_levels(cluster.topologies()[topology], constraint, strings);
  if (levels.error != ReasonCode::None) return {};
  return {topology, levels.required, levels.preferred};
}

std::vector<DemandPart> gang_parts(const Session& session, GangId gang) {
  return GangTree(session, gang).parts();
}

DemandPart whole_gang(const Session& session, GangId gang) {
  return GangTree(session, gang).whole();
}

}  // namespace trellis
