#include "server/manifest/link_numa.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/manifest/pods_fingerprint.h"

namespace trellis {
namespace {

bool counts_in_report(const Pod& pod) {
  return !pod.node.empty() && pod.status != PodStatus::Succeeded && pod.status != PodStatus::Failed;
}

class ZoneLinker {
 public:
  ZoneLinker(Records& records, const Vocabulary& vocabulary)
      : records_(records), strings_(vocabulary.strings) {}

  void run() {
    for (NodeRecord& record : records_.nodes) nodes_.emplace(record.node.name, &record.node);
    for (NumaRecord& record : records_.numas) {
      auto node = nodes_.find(strings_.view(record.meta.key.name));
      if (node == nodes_.end()) continue;
      node->second->numa = SharedValue<NumaTopology>(std::move(record.topology));
    }
    for (const PodRecord& record : records_.pods) see(record.object.pod);
    for (auto& [name, node] : nodes_) {
      if (node->numa) node->zones = trust(*node);
    }
  }

 private:
  void see(const Pod& pod) {
    auto node = nodes_.find(pod.node);
    if (node == nodes_.end() || !node->second->numa) return;
    if (pod.refused_by_zones) refused_[node->second] = true;
    if (counts_in_report(pod)) {
      fingerprints_[node->second].add(strings_.view(pod.name_space), pod.name);
    }
  }

  ZoneTrust trust(const Node& node) {
    std::string_view stated;
    bool all_pods = true;
    for (const auto& [name, value] : node.numa->attributes.attributes) {
      if (name == kFingerprintAttribute) stated = value;
      if (name == kFingerprintMethodAttribute) all_pods = value != kExclusiveMethod;
    }
    // Which pods hold something exclusively is the agent's word alone.
    if (!stated.empty() && all_pods) {
      return stated == fingerprints_[&node].text() ? ZoneTrust::Confirmed : ZoneTrust::Outdated;
    }
    return refused_.contains(&node) ? ZoneTrust::Refuted : ZoneTrust::Unknown;
  }

  Records& records_;
  const StringTable& strings_;
  std::map<std::string_view, Node*> nodes_;
  std::map<const Node*, bool> refused_;
  std::map<const Node*, PodsFingerprint> fingerprints_;
};

}  // namespace

void link_numa(Records& records, const Vocabulary& vocabulary) {
  if (!records.numas.empty()) ZoneLinker(records, vocabulary).run();
}

void forget_demands(Objects& objects) {
  for (PodObject& object : objects.pods) {
    object.spec.demand.reset();
    object.pod.containers.reset();
  }
  for (DaemonSet& set : objects.daemon_sets) set.spec.demand.reset();
  for (Workload& workload : objects.workloads) {
    for (PodSet& set : workload.pod_sets) set.spec.demand.reset();
  }
}

void forget_zones(Objects& objects) {
  for (Node& node : objects.nodes) {
    node.numa.reset();
    node.zones = ZoneTrust::Unknown;
  }
  forget_demands(objects);
}

}  // namespace trellis
