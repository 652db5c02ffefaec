#include "bench/world.h"

#include <algorithm>

#include "actions/actions.h"
#include "plugins/registry.h"

namespace trellis::bench {

World::World(const Config& config)
    : scheduler_(cluster_, config, make_plugins(config), make_actions(config)) {}

GangId add_gang(Cluster& cluster, const World::GangShape& shape) {
  StringTable& strings = cluster.vocabulary().strings;
  Gang gang;
  gang.name_space = strings.intern("default");
  gang.name = shape.name;
  gang.min_member = shape.count;
  gang.created = 0;
  if (!shape.required.empty() || !shape.preferred.empty()) {
    gang.topology.topology = strings.intern("hall");
    if (!shape.required.empty()) gang.topology.required = strings.intern(shape.required);
    if (!shape.preferred.empty()) gang.topology.preferred = strings.intern(shape.preferred);
  }
  if (shape.segment_size > 0) {
    gang.segments.push_back({shape.segment_size, strings.intern(shape.segment_required), StrId()});
  }
  int32_t share = shape.subgroups > 0 ? shape.count / shape.subgroups : shape.count;
  for (int32_t i = 0; i < shape.subgroups; ++i) {
    Subgroup& subgroup = gang.subgroups.emplace_back();
    subgroup.name = strings.intern("part-" + std::to_string(i));
    subgroup.min_member = share;
    subgroup.topology = {strings.intern("hall"), strings.intern(shape.subgroup_required), StrId()};
  }
  GangId id = cluster.upsert(std::move(gang));
  PodSpec spec;
  spec.requests.set(kCpu, shape.cpu_milli);
  spec.requests.set(kMemory, shape.memory_bytes);
  spec.requests.set(kPods, 1);
  spec.requests.set(kGpu, shape.gpus * kMilli);
  Label app{strings.intern("app"), strings.intern(shape.name)};
  PodTerm term;
  term.pods.labels = {{app.key, SelectorOp::In, {app.value}}};
  if (!shape.apart.empty()) {
    term.key = strings.intern(shape.apart);
    spec.pod_anti_affinity.push_back(term);
  }
  if (!shape.together.empty()) {
    term.key = strings.intern(shape.together);
    spec.pod_affinity.push_back(term);
  }
  if (!shape.spread.empty()) {
    SpreadConstraint constraint;
    constraint.pods = term.pods;
    constraint.key = strings.intern(shape.spread);
    spec.spread.push_back(constraint);
  }
  for (int32_t i = 0; i < shape.count; ++i) {
    Pod pod;
    pod.labels = {app};
    pod.name_space = strings.intern("default");
    pod.name = shape.name + "-" + std::to_string(i);
    pod.gang = strings.intern("default/" + shape.name);
    pod.completion_index = i;
    if (shape.subgroups > 0) pod.subgroup = strings.intern("part-" + std::to_string(i / share));
    cluster.upsert(std::move(pod), spec);
  }
  return id;
}

void World::add_nodes(const NodeShape& shape) {
  for (int i = 0; i < shape.count; ++i) {
    Node node;
    node.name = "node-" + std::to_string(i);
    node.allocatable.set(kCpu, shape.cpu_milli);
    node.allocatable.set(kMemory, shape.memory_bytes);
    node.allocatable.set(kPods, 110);
    node.allocatable.set(kGpu, shape.gpus * kMilli);
    cluster_.upsert(std::move(node));
  }
}

void Latencies::report(benchmark::State& state) {
  if (nanoseconds_.empty()) return;
  std::sort(nanoseconds_.begin(), nanoseconds_.end());
  auto at = [&](size_t percent) {
    size_t index = nanoseconds_.size() * percent / 100;
    return static_cast<double>(nanoseconds_[std::min(index, nanoseconds_.size() - 1)]);
  };
  state.counters["p50_ns"] = at(50);
  state.counters["p99_ns"] = at(99);
  state.counters["allocations"] = static_cast<double>(allocations_);
}

void report_per_node(benchmark::State& state, size_t nodes) {
  state.counters["per_node"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(nodes),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace trellis::bench
