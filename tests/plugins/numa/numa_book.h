// The plugin numa alone, with a view of its own: one pod class an amount of CPUs, Guaranteed.
#pragma once

#include <string>
#include <vector>

#include "plugins/numa/numa_hint.h"
#include "plugins/numa/numa_plugin.h"
#include "session/snapshot/change_log.h"
#include "tests/plugins/numa/numa_world.h"

namespace trellis::test {

class NumaBook {
 public:
  NumaBook() {
    view_.config = &config;
    view_.vocabulary = &vocabulary;
    view_.nodes = &nodes;
    view_.pods = &pods;
    view_.pod_classes = &classes;
    view_.changes = &changes_;
  }

  NodeId node(const std::vector<int64_t>& free, const std::string& policy = "single-numa-node",
              int64_t whole = 8, size_t first_id = 0) {
    NumaWorld zones;
    for (size_t i = 0; i < free.size(); ++i) {
      zones.zone("node-" + std::to_string(first_id + i), {{kCpu, free[i]}}, {{kCpu, whole}});
    }
    Node made;
    made.name = "n" + std::to_string(nodes.size());
    made.allocatable.set(kCpu, whole * static_cast<int64_t>(free.size()));
    made.numa = SharedValue(
        make_numa_topology(NumaAttributes{{}, {{"topologyManagerPolicy", policy}}}, zones.zones));
    return nodes.push_back(made);
  }
  // The agent reports other amounts.
  void report(NodeId node, const std::vector<int64_t>& free) {
    NumaTopology next = *nodes[node].numa;
    next.available = free;
    nodes[node].numa = SharedValue(next);
    changes_.touch(node);
  }
  // The agent has seen all pods, and reports the same amounts.
  void confirm(NodeId node) {
    nodes[node].zones = ZoneTrust::Confirmed;
    nodes[node].left.clear();
    changes_.touch(node);
  }
  // The pod, which held this zone, has left since the report.
  void left(NodeId node, PodId pod, int64_t zone) {
    nodes[node].left.push_back({*classes[pods[pod].pod_class].demand, {{zone}}});
    pods[pod].node = NodeId();
    pods[pod].pod.status = PodStatus::Pending;
    changes_.touch(node);
  }
  // Its object is from now on that of another node.
  void become(NodeId node, NodeId other) {
    nodes[node].numa = nodes[other].numa;
    nodes[node].allocatable = nodes[other].allocatable;
    changes_.touch(node);
    changes_.touch(other);
  }
  PodClassId pod_class(int64_t cpus, StrId zone_group = {}) {
    PodSpec spec;
    spec.requests.set(kCpu, cpus);
    spec.demand = SharedValue(
        PodDemand{Qos::Guaranteed, {{ContainerKind::App, {{kCpu, cpus}}}}, {}, {}, zone_group});
    return classes.push_back(spec);
  }
  // Pending, unless it has a node.
  PodId pod(PodClassId pod_class, NodeId node = {}, const std::vector<int64_t>& zones = {},
            uint64_t bound_after = 0) {
    PodSlot slot;
    slot.pod_class = pod_class;
    slot.node = node;
    slot.pod.name = "p" + std::to_string(pods.size());
    if (node.valid()) slot.pod.status = PodStatus::Running;
    PodContainers containers{{vocabulary.strings.intern("main")}, {}, bound_after};
    if (!zones.empty()) containers.zones = {zones};
    slot.pod.containers = SharedValue(containers);
    return pods.push_back(slot);
  }

  void open() { plugin.open(view_, hooks = Hooks()); }
  int32_t fit(PodClassId pod_class, NodeId node, FitMode mode = FitMode::Now) {
    int32_t count = 100;
    plugin.count_fit(pod_class, mode, {&node, 1}, {&count, 1});
    return count;
  }
  // What one says that sees the nodes for the first time.
  int32_t fresh_fit(PodClassId pod_class, NodeId node) {
    NumaPlugin fresh;
    Hooks unused;
    fresh.open(view_, unused);
    int32_t count = 100;
    fresh.count_fit(pod_class, FitMode::Now, {&node, 1}, {&count, 1});
    return count;
  }
  void place(PodId pod, NodeId node, Presence presence = Presence::Stays) {
    plugin.pod_placed(pod, pods[pod].pod_class, node, presence);
  }
  void remove(PodId pod, NodeId node, Presence presence = Presence::Stays) {
    plugin.pod_removed(pod, pods[pod].pod_class, node, presence);
  }
  void evict(PodId pod, NodeId node) {
    remove(pod, node);
    place(pod, node, Presence::Evicted);
  }
  void spare(PodId pod, NodeId node) {
    remove(pod, node, Presence::Evicted);
    place(pod, node);
  }
  std::string hint(PodId pod, NodeId node) {
    std::vector<BindNote> notes;
    plugin.before_bind(pod, node, 0, notes);
    for (const BindNote& note : notes) {
      if (note.key == kNumaHint) return note.value;
    }
    return "";
  }

  Config config;
  Vocabulary vocabulary;
  IndexedVector<NodeId, Node> nodes;
  IndexedVector<PodId, PodSlot> pods;
  IndexedVector<PodClassId, PodSpec> classes;
  Hooks hooks;
  NumaPlugin plugin;

 private:
  View view_;
  ChangeLog changes_;
};

}  // namespace trellis::test
