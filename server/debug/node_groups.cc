#include "server/debug/node_groups.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "server/wording/names_text.h"
#include "session/explain/room.h"
#include "session/explain/topology_report.h"

namespace trellis {
namespace {

// REQUIRES: the order of NodeStanding.
constexpr std::array<std::string_view, 6> kStandings = {"free",    "in part",  "full",
                                                        "leaving", "promised", "closed"};
enum class NodeStanding : uint8_t { Free, InPart, Full, Leaving, Promised, Closed };

// What a group holds of a row.
struct Hold {
  int64_t gpus = 0;
  int64_t cpus = 0;
};

class RowGroups {
 public:
  RowGroups(DocumentWriter& out, const CycleView& view, const RowsOfNodes& nodes)
      : out_(out), cluster_(view.cluster()), view_(view), nodes_(nodes) {}

  void write_holders(GroupBy by) {
    absl::flat_hash_map<std::pair<int32_t, uint32_t>, Hold> holds;
    for_each_pod([&](PodId pod, int32_t row) {
      std::optional<uint32_t> group = group_of(by, cluster_.pods()[pod].gang);
      if (!group) return;
      ResourceList asked = asked_by(cluster_.pod_classes()[cluster_.pods()[pod].pod_class]);
      Hold& hold = holds[{row, *group}];
      hold.gpus += asked.get(kGpu) + asked.get(kAmdGpu);
      hold.cpus += asked.get(kCpu);
    });
    std::vector<std::pair<uint32_t, Hold>> most(nodes_.rows, {kNoGroup, Hold()});
    for (const auto& [key, hold] : holds) {
      auto& best = most[static_cast<size_t>(key.first)];
      if (best.first == kNoGroup || precedes(by, key.second, hold, best)) best = {key.second, hold};
    }
    std::vector<uint32_t> groups;
    for (const auto& [group, hold] : most) groups.push_back(group);
    write_named(groups, [&](uint32_t group) { return name_of(by, group); });
  }

  void write_states() {
    IndexedVector<NodeId, NodeStanding> standings = standings_of_nodes();
    std::vector<std::array<int64_t, kStandings.size()>> counts(nodes_.rows);
    for (uint32_t i = 0; i < nodes_.row.size(); ++i) {
      int32_t row = nodes_.row[NodeId(i)];
      if (row < 0) continue;
      ++counts[static_cast<size_t>(row)][static_cast<size_t>(standings[NodeId(i)])];
    }
    out_.begin_array("groups");
    for (std::string_view name : kStandings) out_.text(name);
    out_.end_array();
    out_.begin_array("group");
    for (const auto& row : counts) {
      auto most = std::max_element(row.begin(), row.end());
      out_.integer(*most == 0 ? -1 : most - row.begin());
    }
    out_.end_array();
  }

  void write_ages() {
    std::vector<TimeUs> oldest(nodes_.rows, kNoTime);
    for_each_pod([&](PodId id, int32_t row) {
      const Pod& pod = cluster_.pods()[id].pod;
      TimeUs since = pod.started != kNoTime ? pod.started : pod.created;
      TimeUs& first = oldest[static_cast<size_t>(row)];
      if (since != kNoTime && (first == kNoTime || since < first)) first = since;
    });
    out_.begin_array("ages");
    for (TimeUs first : oldest) {
      out_.integer(first == kNoTime ? -1
                                    : std::max<TimeUs>(0, view_.record().now - first) / kSecondUs);
    }
    out_.end_array();
  }

 private:
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  // Calls use(pod, row) for each pod that has a node of a row.
  template <class Use>
  void for_each_pod(Use use) const {
    for (uint32_t i = 0; i < view_.record().pods.size(); ++i) {
      PodId pod(i);
      if (!cluster_.alive(pod)) continue;
      const PodOutcome& outcome = view_.record().pods[pod];
      if (!outcome.node.valid() || !occupies_node(outcome.status)) continue;
      if (int32_t row = nodes_.row[outcome.node]; row >= 0) use(pod, row);
    }
  }

  std::optional<uint32_t> group_of(GroupBy by, GangId gang) const {
    if (by == GroupBy::Gang) return gang.value;
    Maybe<StrId> queue = cluster_.gangs()[gang].queue;
    if (!queue) return std::nullopt;
    return (*queue).value;
  }

  std::string name_of(GroupBy by, uint32_t group) const {
    if (by == GroupBy::Gang) return full_name(cluster_, GangId(group));
    return std::string(cluster_.vocabulary().strings.view(StrId(group)));
  }

  bool precedes(GroupBy by, uint32_t group, const Hold& hold,
                const std::pair<uint32_t, Hold>& best) const {
    auto amounts = [](const Hold& one) { return std::tuple(one.gpus, one.cpus); };
    if (amounts(hold) != amounts(best.second)) return amounts(hold) > amounts(best.second);
    return name_of(by, group) < name_of(by, best.first);
  }

  template <class Name>
  void write_named(const std::vector<uint32_t>& groups, Name name) {
    absl::flat_hash_map<uint32_t, int64_t> places;
    out_.begin_array("groups");
    for (uint32_t group : groups) {
      if (group == kNoGroup || !places.try_emplace(group, places.size()).second) continue;
      out_.text(name(group));
    }
    out_.end_array();
    out_.begin_array("group");
    for (uint32_t group : groups) out_.integer(group == kNoGroup ? -1 : places[group]);
    out_.end_array();
  }

  // By GPUs where the node has some, else by CPUs.
  NodeStanding standing_of(NodeId node) const {
    if (is_closed(cluster_.nodes()[node])) return NodeStanding::Closed;
    NodeUsage usage;
    for (ResourceId gpu : {kGpu, kAmdGpu}) {
      NodeUsage one = measure_usage(view_.session(), gpu, node);
      usage.available += one.available;
      usage.allocated += one.allocated;
    }
    if (usage.available + usage.allocated == 0) usage = measure_usage(view_.session(), kCpu, node);
    if (usage.allocated == 0) return NodeStanding::Free;
    return usage.available <= 0 ? NodeStanding::Full : NodeStanding::InPart;
  }

  IndexedVector<NodeId, NodeStanding> standings_of_nodes() const {
    IndexedVector<NodeId, NodeStanding> standings(nodes_.row.size());
    for (uint32_t i = 0; i < nodes_.row.size(); ++i) {
      if (nodes_.row[NodeId(i)] >= 0) standings[NodeId(i)] = standing_of(NodeId(i));
    }
    const CycleRecord& record = view_.record();
    for (uint32_t i = 0; i < record.pods.size(); ++i) {
      if (!cluster_.alive(PodId(i))) continue;
      const PodOutcome& outcome = record.pods[PodId(i)];
      if (outcome.status == PodStatus::Pipelined && outcome.node.valid()) {
        raise(standings[outcome.node], NodeStanding::Promised);
      }
      NodeId left = cluster_.pods()[PodId(i)].node;
      bool leaves = outcome.status == PodStatus::Evicted ||
                    outcome.status == PodStatus::Releasing || outcome.evicted;
      if (leaves && left.valid()) raise(standings[left], NodeStanding::Leaving);
    }
    return standings;
  }

  static void raise(NodeStanding& standing, NodeStanding to) {
    if (standing < to) standing = to;
  }

  DocumentWriter& out_;
  const Cluster& cluster_;
  const CycleView& view_;
  const RowsOfNodes& nodes_;
};

}  // namespace

GroupBy grouping_of(std::string_view word) {
  const auto* found = std::ranges::find(kGroupings, word);
  if (found == std::end(kGroupings)) return GroupBy::None;
  return static_cast<GroupBy>(found - std::begin(kGroupings));
}

void write_groups(DocumentWriter& out, const CycleView& view, GroupBy by,
                  const RowsOfNodes& nodes) {
  RowGroups groups(out, view, nodes);
  if (by == GroupBy::Gang || by == GroupBy::Queue) groups.write_holders(by);
  if (by == GroupBy::State) groups.write_states();
  if (by == GroupBy::Age) groups.write_ages();
}

}  // namespace trellis
