#include "tests/support/world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <utility>

#include "actions/actions.h"
#include "plugins/registry.h"
#include "session/cycle/recorder.h"

namespace trellis {
namespace {

int64_t milli(double amount) { return std::llround(amount * 1000); }
int64_t gib(double amount) { return std::llround(amount * double{1 << 30}); }

Labels make_labels(StringTable& strings, const LabelMap& map) {
  Labels labels;
  for (const auto& [key, value] : map) {
    labels.push_back({strings.intern(key), strings.intern(value)});
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::vector<Requirement> make_requirements(StringTable& strings,
                                           const std::vector<RequirementArgs>& args) {
  std::vector<Requirement> requirements;
  for (const RequirementArgs& item : args) {
    Requirement& requirement = requirements.emplace_back();
    requirement.key = strings.intern(item.key);
    requirement.op = item.op;
    for (const std::string& value : item.values) {
      requirement.values.push_back(strings.intern(value));
    }
  }
  return requirements;
}

SelectorTerm make_term(StringTable& strings, const TermArgs& args) {
  return {make_requirements(strings, args.labels), make_requirements(strings, args.fields)};
}

void set_extended(ResourceTable& resources, const std::map<std::string, int64_t>& amounts,
                  ResourceList& list) {
  for (const auto& [name, amount] : amounts) list.set(resources.intern(name), amount);
}

StrId word(StringTable& strings, const std::string& text) {
  return text.empty() ? StrId() : strings.intern(text);
}

std::vector<SegmentLayer> make_segments(StringTable& strings,
                                        const std::vector<SegmentArgs>& layers) {
  std::vector<SegmentLayer> segments;
  for (const SegmentArgs& layer : layers) {
    segments.push_back({layer.size, word(strings, layer.required), word(strings, layer.preferred)});
  }
  return segments;
}

Subgroup make_subgroup(StringTable& strings, const SubgroupArgs& args,
                       const std::vector<Subgroup>& before) {
  Subgroup subgroup;
  subgroup.name = strings.intern(args.name);
  for (size_t i = 0; i < before.size(); ++i) {
    if (strings.view(before[i].name) == args.parent) subgroup.parent = static_cast<int32_t>(i);
  }
  subgroup.min_member = args.min_member;
  subgroup.min_subgroup = args.min_subgroup;
  subgroup.topology = {word(strings, args.topology), word(strings, args.required),
                       word(strings, args.preferred)};
  subgroup.segments = make_segments(strings, args.segments);
  return subgroup;
}

}  // namespace

Node make_node(Vocabulary& vocabulary, const std::string& name, const NodeArgs& args) {
  StringTable& strings = vocabulary.strings;
  Node node;
  node.name = name;
  node.labels = make_labels(strings, args.labels);
  for (const TaintArgs& taint : args.taints) {
    node.taints.push_back({strings.intern(taint.key), strings.intern(taint.value), taint.effect});
  }
  node.allocatable.set(kCpu, milli(args.cpu));
  node.allocatable.set(kMemory, gib(args.memory_gib));
  node.allocatable.set(kPods, args.pods);
  node.allocatable.set(kGpu, args.gpu * kMilli);
  node.allocatable.set(kAmdGpu, args.amd_gpu * kMilli);
  set_extended(vocabulary.resources, args.extended, node.allocatable);
  node.ready = args.ready;
  node.unschedulable = args.unschedulable;
  node.gpu_memory_mib = args.gpu_memory_mib;
  node.features = args.features;
  return node;
}

PodSpec make_pod_spec(Vocabulary& vocabulary, const PodArgs& args) {
  StringTable& strings = vocabulary.strings;
  PodSpec spec;
  spec.requests.set(kCpu, milli(args.cpu));
  spec.requests.set(kMemory, gib(args.memory_gib));
  spec.requests.set(kPods, 1);
  spec.requests.set(kGpu, args.gpu * kMilli);
  spec.requests.set(kAmdGpu, args.amd_gpu * kMilli);
  set_extended(vocabulary.resources, args.extended, spec.requests);
  spec.gpu_share = {args.share.milli, args.share.mib, args.share.devices};
  spec.node_selector = make_labels(strings, args.selector);
  for (const TermArgs& term : args.affinity) {
    spec.required_affinity.push_back(make_term(strings, term));
  }
  spec.has_required_affinity = args.has_affinity || !args.affinity.empty();
  for (const PreferredArgs& preferred : args.preferred) {
    spec.preferred_affinity.push_back({preferred.weight, make_term(strings, preferred.term)});
  }
  for (const TolerationArgs& toleration : args.tolerations) {
    spec.tolerations.push_back({strings.intern(toleration.key), toleration.op,
                                strings.intern(toleration.value), toleration.any_effect,
                                toleration.effect});
  }
  for (const PortArgs& port : args.ports) {
    spec.host_ports.push_back(
        {strings.intern(port.protocol), strings.intern(port.address), port.port});
  }
  spec.features = args.features;
  return spec;
}

Pod make_pod(Vocabulary& vocabulary, const std::string& name, const std::string& gang,
             const PodArgs& args) {
  StringTable& strings = vocabulary.strings;
  Pod pod;
  pod.name_space = strings.intern("default");
  pod.name = name;
  pod.gang = strings.intern("default/" + gang);
  bool runs = args.status == PodStatus::Pending && !args.node.empty();
  pod.status = runs ? PodStatus::Running : args.status;
  pod.node = args.node;
  pod.hold = args.hold;
  pod.leader = args.leader;
  pod.order_priority = args.order_priority;
  pod.completion_index = args.completion_index;
  pod.subgroup = word(strings, args.subgroup);
  for (const std::string& group : args.gpu_groups) pod.gpu_groups.push_back(strings.intern(group));
  pod.created = args.created;
  return pod;
}

Topology make_topology(Vocabulary& vocabulary, const std::string& name,
                       const std::vector<std::string>& labels) {
  Topology topology;
  topology.name = name;
  for (const std::string& label : labels) {
    topology.levels.push_back({vocabulary.strings.intern(label), StrId()});
  }
  return topology;
}

NodeId World::node(const std::string& name, const NodeArgs& args) {
  return cluster.upsert(make_node(cluster.vocabulary(), name, args));
}

TopologyId World::topology(const std::string& name, const std::vector<std::string>& labels) {
  return cluster.upsert(make_topology(cluster.vocabulary(), name, labels));
}

GangId World::gang(const std::string& name, const GangArgs& args) {
  StringTable& strings = cluster.vocabulary().strings;
  Gang gang;
  gang.name_space = str("default");
  gang.name = name;
  gang.queue = word(strings, args.queue);
  gang.min_member = args.min_member >= 0 ? args.min_member : args.count;
  gang.priority = args.priority;
  gang.created = args.created;
  gang.preemptible = args.preemptible;
  gang.run_time_us = args.run_time;
  gang.topology = {word(strings, args.topology), word(strings, args.required),
                   word(strings, args.preferred)};
  gang.segments = make_segments(strings, args.segments);
  gang.balanced = args.balanced;
  gang.min_subgroup = args.min_subgroup;
  for (const SubgroupArgs& part : args.subgroups) {
    gang.subgroups.push_back(make_subgroup(strings, part, gang.subgroups));
  }
  GangId id = cluster.upsert(std::move(gang));
  for (int32_t i = 0; i < args.count; ++i) {
    pod(name + "-" + std::to_string(i), name, args.pod);
  }
  return id;
}

PodId World::pod(const std::string& name, const std::string& gang, const PodArgs& args) {
  Pod pod = make_pod(cluster.vocabulary(), name, gang, args);
  return cluster.upsert(std::move(pod), make_pod_spec(cluster.vocabulary(), args));
}

void World::add(const Plan& plan) {
  for (const auto& item : plan.topologies) topology(item.name, item.labels);
  for (const auto& item : plan.nodes) node(item.name, item.args);
  for (const auto& item : plan.gangs) gang(item.name, item.args);
  for (const auto& item : plan.pods) pod(item.name, item.gang, item.args);
}

Scheduler& World::scheduler() {
  if (!scheduler_) {
    scheduler_ =
        std::make_unique<Scheduler>(cluster, config, make_plugins(config), make_actions(config));
  }
  return *scheduler_;
}

const CycleRecord& World::cycle(TimeUs now) {
  std::shared_ptr<const CycleRecord> before = record_;
  record_ = scheduler().run_cycle(now);
  if (record_ != before) check_whole(*record_);
  return *record_;
}

// What was taken over from the record before is what would have been written from nothing.
void World::check_whole(const CycleRecord& record) {
  CycleRecord whole = make_record(scheduler().session());
  bool same = record.pods == whole.pods && record.gangs == whole.gangs &&
              record.nodes == whole.nodes && record.next_change == whole.next_change;
  if (same) return;
  std::fputs("a record keeps what is not true any more\n", stderr);
  std::abort();
}

void World::pass_time() {
  for (PodId id : cluster.pods_by_name()) {
    const PodOutcome& outcome = record_->pods[id];
    Pod pod = cluster.pods()[id].pod;
    bool bound_now = outcome.status == PodStatus::Bound && pod.status == PodStatus::Pending;
    if (!bound_now && outcome.status != PodStatus::Pipelined &&
        outcome.status != PodStatus::Evicted && outcome.status != PodStatus::Releasing) {
      continue;
    }
    if (outcome.status == PodStatus::Releasing) {
      remove_pod(pod.name);
      continue;
    }
    pod.status = bound_now ? PodStatus::Running : PodStatus::Pending;
    pod.node = bound_now ? cluster.nodes()[outcome.node].name : std::string();
    pod.gpu_groups.clear();
    bool promised = outcome.status == PodStatus::Pipelined;
    pod.promised = promised ? cluster.nodes()[outcome.node].name : std::string();
    if (bound_now) {
      for (const GpuPart& part : outcome.gpus) {
        pod.gpu_groups.push_back(str(std::to_string(part.device)));
      }
    }
    cluster.upsert(std::move(pod), PodSpec(cluster.pod_classes()[cluster.pods()[id].pod_class]));
  }
}

std::string World::node_of(std::string_view pod) const {
  NodeId node = record_->pods[pod_id(pod)].node;
  return node.valid() ? cluster.nodes()[node].name : std::string();
}

PodStatus World::status_of(std::string_view pod) const { return record_->pods[pod_id(pod)].status; }

const GangOutcome& World::gang_outcome(std::string_view gang) const {
  return record_->gangs[gang_id(gang)];
}

std::vector<Decision> World::evictions() const {
  std::vector<Decision> evictions;
  std::ranges::copy_if(record_->decisions, std::back_inserter(evictions),
                       [](const Decision& one) { return one.kind == Decision::Kind::Evict; });
  return evictions;
}

ReasonCode World::code_of(std::string_view gang) const {
  const GangOutcome& outcome = gang_outcome(gang);
  return outcome.reasons.empty() ? ReasonCode::None : outcome.reasons.front().code;
}

std::string World::decisions() const {
  std::ostringstream out;
  for (PodId pod : cluster.pods_by_name()) {
    const PodOutcome& outcome = record_->pods[pod];
    out << cluster.pods()[pod].pod.name << ' ' << to_string(outcome.status) << ' '
        << (outcome.node.valid() ? cluster.nodes()[outcome.node].name : "-");
    for (const GpuPart& part : outcome.gpus) out << ' ' << part.device << ':' << part.portion_milli;
    out << '\n';
  }
  return out.str();
}

}  // namespace trellis
