#include "server/manifest/link_numa.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/numa/numa_units.h"
#include "server/objects/pods_fingerprint.h"

namespace trellis {
namespace {

bool counts_in_report(const Pod& pod) {
  return !pod.node.empty() && pod.status != PodStatus::Succeeded && pod.status != PodStatus::Failed;
}

// Whether the agents' library counts the pod as an exclusive holder: of devices of the report, and,
// for a Guaranteed pod, of whole CPUs, memory and huge pages; init containers that end hold
// nothing.
bool holds_exclusively(const PodDemand& demand, const NumaTopology& zones,
                       const ResourceTable& resources) {
  auto exclusive = [&](const ResourceAmount& item) {
    const std::string& name = resources.name(item.resource);
    if (is_device_name(name)) return zones.column(item.resource) >= 0;
    if (demand.qos != Qos::Guaranteed || item.amount <= 0) return false;
    if (item.resource == kCpu) return item.amount % kMilli == 0;
    return item.resource == kMemory || name.starts_with("hugepages-");
  };
  return std::any_of(demand.containers.begin(), demand.containers.end(),
                     [&](const ContainerDemand& one) {
                       return one.kind != ContainerKind::Init &&
                              std::any_of(one.requests.begin(), one.requests.end(), exclusive);
                     });
}

class ZoneLinker {
 public:
  ZoneLinker(Records& records, const Vocabulary& vocabulary)
      : records_(records), strings_(vocabulary.strings), resources_(vocabulary.resources) {}

  void run() {
    for (NodeRecord& record : records_.nodes) nodes_.emplace(record.node.name, &record.node);
    for (NumaRecord& record : records_.numas) {
      auto node = nodes_.find(strings_.view(record.meta.key.name));
      if (node == nodes_.end()) continue;
      node->second->numa = SharedValue<NumaTopology>(std::move(record.topology));
      node->second->left = std::move(record.left);
    }
    for (const PodRecord& record : records_.pods) see(record.object);
    for (auto& [name, node] : nodes_) {
      if (node->numa) node->zones = trust(*node);
    }
  }

 private:
  void see(const PodObject& object) {
    const Pod& pod = object.pod;
    auto node = nodes_.find(pod.node);
    if (node == nodes_.end() || !node->second->numa) return;
    const NumaTopology& zones = *node->second->numa;
    if (pod.refused_by_zones) refused_[node->second] = true;
    if (!counts_in_report(pod)) return;
    bool all = attribute(zones, kFingerprintMethodAttribute) != kExclusiveMethod;
    if (all ||
        (object.spec->demand && holds_exclusively(*object.spec->demand, zones, resources_))) {
      fingerprints_[node->second].add(strings_.view(pod.name_space), pod.name);
    }
  }

  static std::string_view attribute(const NumaTopology& zones, std::string_view name) {
    std::string_view found;
    for (const NumaAttributes::Attribute& one : zones.attributes.attributes) {
      if (one.name == name) found = one.value;
    }
    return found;
  }

  ZoneTrust trust(const Node& node) {
    std::string_view stated = attribute(*node.numa, kFingerprintAttribute);
    if (!stated.empty()) {
      return stated == fingerprints_[&node].text() ? ZoneTrust::Confirmed : ZoneTrust::Outdated;
    }
    return refused_.contains(&node) ? ZoneTrust::Refuted : ZoneTrust::Unknown;
  }

  Records& records_;
  const StringTable& strings_;
  const ResourceTable& resources_;
  std::map<std::string_view, Node*> nodes_;
  std::map<const Node*, bool> refused_;
  std::map<const Node*, PodsFingerprint> fingerprints_;
};

}  // namespace

void link_numa(Records& records, const Vocabulary& vocabulary) {
  if (!records.numas.empty()) ZoneLinker(records, vocabulary).run();
}

namespace {

// Pods that share a spec share the one without its demand, too.
class DemandDropper {
 public:
  void drop(PodObject& object) {
    object.pod.containers.reset();
    if (!object.spec->demand && !object.spec->replacement) return;
    SharedSpec& without = without_[object.spec.identity()];
    if (without.identity() == nullptr) {
      PodSpec spec = *object.spec;
      forget_demand(spec);
      without = SharedSpec(std::move(spec));
      had_.push_back(object.spec);
    }
    object.spec = without;
  }

 private:
  absl::flat_hash_map<const PodSpec*, SharedSpec> without_;
  std::vector<SharedSpec> had_;  // so that no other spec gets the address of one of them
};

}  // namespace

void forget_demands(Objects& objects) {
  DemandDropper dropper;
  for (PodObject& object : objects.pods) {
    bool shares = object.spec->demand && object.spec->demand->zone_group.valid();
    if (!shares) dropper.drop(object);
  }
  for (DaemonSet& set : objects.daemon_sets) set.spec.demand.reset();
  for (Workload& workload : objects.workloads) {
    for (PodSet& set : workload.pod_sets) set.spec.demand.reset();
  }
}

void forget_zones(Objects& objects) {
  for (Node& node : objects.nodes) {
    node.numa.reset();
    node.left.clear();
    node.zones = ZoneTrust::Unknown;
  }
  DemandDropper dropper;
  for (PodObject& object : objects.pods) dropper.drop(object);
  forget_demands(objects);
}

}  // namespace trellis
