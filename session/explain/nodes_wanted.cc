#include "session/explain/nodes_wanted.h"

#include <algorithm>
#include <map>
#include <utility>

#include "session/explain/room.h"

namespace trellis {
namespace {

// The class with most waiting pods, the first by name of its first pod; kNone: none waits.
PodClassId waiting_class(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  struct Waiting {
    int64_t pods = 0;
    PodId first;
  };
  std::map<PodClassId, Waiting> classes;
  for (PodId pod : cluster.pods_of(gang)) {
    const PodSlot& slot = cluster.pods()[pod];
    if (slot.pod.hold != PodHold::None || record.pods[pod].status != PodStatus::Pending) continue;
    Waiting& waiting = classes[slot.pod_class];
    ++waiting.pods;
    bool first = !waiting.first.valid() || slot.pod.name < cluster.pods()[waiting.first].pod.name;
    if (first) waiting.first = pod;
  }
  PodClassId most;
  for (const auto& [pod_class, waiting] : classes) {
    if (most.valid()) {
      const Waiting& best = classes[most];
      bool more = waiting.pods > best.pods ||
                  (waiting.pods == best.pods &&
                   cluster.pods()[waiting.first].pod.name < cluster.pods()[best.first].pod.name);
      if (!more) continue;
    }
    most = pod_class;
  }
  return most;
}

class Count {
 public:
  Count(Session& session, const CycleRecord& record)
      : session_(session), cluster_(session.cluster()), record_(record) {}

  std::vector<NodesWanted> run() {
    for (GangId gang : cluster_.gangs_by_name()) {
      const GangOutcome& outcome = record_.gangs[gang];
      if (outcome.status != GangStatus::Pending || outcome.reasons.empty()) continue;
      const Reason& reason = outcome.reasons.front();
      int64_t missing = reason.needed - reason.found;
      if (!more_nodes_help(reason.code) || missing <= 0) continue;
      PodClassId pod_class = waiting_class(cluster_, record_, gang);
      if (pod_class.valid()) add(pod_class, reason, missing);
    }
    return std::move(wanted_);
  }

 private:
  void add(PodClassId pod_class, const Reason& reason, int64_t missing) {
    auto same = std::ranges::find_if(wanted_, [&](const NodesWanted& wanted) {
      return wanted.pod_class == pod_class && wanted.topology == reason.topology &&
             wanted.domain == reason.domain;
    });
    if (same == wanted_.end()) {
      wanted_.push_back({pod_class, reason.topology, reason.domain, 0});
      same = wanted_.end() - 1;
    }
    int64_t each = most_on_a_node(pod_class);
    same->nodes += (missing + each - 1) / each;
  }

  int64_t most_on_a_node(PodClassId pod_class) {
    auto [known, is_new] = most_.try_emplace(pod_class, 1);
    if (!is_new) return known->second;
    EmptyNodes empty(session_, pod_class);
    for (NodeId node : session_.snapshot().all_nodes().node_order()) {
      known->second = std::max(known->second, empty.fit(node));
    }
    return known->second;
  }

  Session& session_;
  const Cluster& cluster_;
  const CycleRecord& record_;
  std::map<PodClassId, int64_t> most_;
  std::vector<NodesWanted> wanted_;
};

}  // namespace

std::vector<NodesWanted> nodes_wanted(Session& session, const CycleRecord& record) {
  return Count(session, record).run();
}

}  // namespace trellis
