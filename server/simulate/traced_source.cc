#include "server/simulate/traced_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/document/document.h"

namespace trellis {
namespace {

constexpr const char* kModelLabel = "nvidia.com/gpu.product";
constexpr int32_t kLeastNonPreemptible = 100;  // KAI's boundary

int64_t up(int64_t amount, int64_t parts) { return (amount + parts - 1) / parts; }

// The fewest equal parts of `whole` units, each of at most `most`.
int64_t equal_parts(int64_t whole, int64_t most) {
  int64_t parts = up(whole, std::max<int64_t>(most, 1));
  while (whole % parts != 0) ++parts;
  return parts;
}

int64_t gpus_of(const Node& node, ResourceId gpu) { return node.allocatable.get(gpu); }

}  // namespace

Result<TracedSource> TracedSource::make(std::span<const TracedGang> gangs, TimeUs start,
                                        const Cluster& cluster) {
  TracedSource source(start);
  source.measure(cluster);
  source.choose(gangs);
  std::string wrong = source.find_levels(cluster);
  if (!wrong.empty()) return error(wrong);
  for (const TracedGang& gang : gangs) {
    int64_t pods = std::max(gang.pods, 1);
    if (gang.gpu_milli % pods == 0) continue;
    return error("gang " + in_quotes(gang.name) + " of the trace requests " +
                 std::to_string(gang.gpu_milli / kMilli) + " GPUs for " + std::to_string(pods) +
                 " pods: expected as many for each");
  }
  return source;
}

void TracedSource::measure(const Cluster& cluster) {
  int64_t sums[2] = {0, 0};
  for (NodeId id : cluster.nodes_by_name()) {
    sums[0] += gpus_of(cluster.nodes()[id], kGpu);
    sums[1] += gpus_of(cluster.nodes()[id], kAmdGpu);
  }
  gpu_ = sums[1] > sums[0] ? kAmdGpu : kGpu;
  for (NodeId id : cluster.nodes_by_name()) {
    const Node& node = cluster.nodes()[id];
    node_gpu_milli_ = std::max(node_gpu_milli_, gpus_of(node, gpu_));
    node_cpu_milli_ = std::max(node_cpu_milli_, node.allocatable.get(kCpu));
    const StringTable& strings = cluster.vocabulary().strings;
    StrId partition = find_label(node.labels, strings.find(kPartitionLabel));
    if (partition.valid()) partitions_.emplace(strings.view(partition));
  }
  for (uint32_t i = 0; i < cluster.queues().size(); ++i) {
    if (cluster.alive(QueueId(i))) queues_.push_back(cluster.queues()[QueueId(i)].name);
  }
  std::ranges::sort(queues_);
}

void TracedSource::choose(std::span<const TracedGang> gangs) {
  for (const TracedGang& gang : gangs) {
    if (partitions_.empty() || partitions_.contains(gang.queue)) gangs_.push_back(&gang);
  }
  left_out_ = gangs.size() - gangs_.size();
}

// Returns what is wrong; "" if nothing is.
std::string TracedSource::find_levels(const Cluster& cluster) {
  const StringTable& strings = cluster.vocabulary().strings;
  std::vector<const Topology*> topologies;
  for (uint32_t i = 0; i < cluster.topologies().size(); ++i) {
    if (cluster.alive(TopologyId(i))) topologies.push_back(&cluster.topologies()[TopologyId(i)]);
  }
  std::ranges::sort(topologies, {}, [](const Topology* topology) { return topology->name; });
  for (const TracedGang* traced : gangs_) {
    const TracedGang& gang = *traced;
    if (gang.level.empty() || levels_.contains(gang.level)) continue;
    for (const Topology* topology : topologies) {
      std::optional<int> level = find_level(*topology, gang.level, strings);
      if (!level) continue;
      StrId label = topology->levels[static_cast<size_t>(*level)].label;
      levels_[gang.level] = {topology->name, std::string(strings.view(label))};
      break;
    }
    if (levels_.contains(gang.level)) continue;
    return "gang " + in_quotes(gang.name) + " of the trace asks for the level " +
           in_quotes(gang.level) + ", which no Topology of the input has";
  }
  return "";
}

TracedSource::Pod TracedSource::pod_of(const TracedGang& gang) const {
  Pod pod;
  pod.count = gang.pods;
  bool whole_gpus = gang.gpu_milli > 0 && gang.gpu_milli % kMilli == 0;
  bool whole_cpus = gang.cpu_milli > 0 && gang.cpu_milli % kMilli == 0;
  if (pod.count == 0 && whole_gpus) {
    pod.count = equal_parts(gang.gpu_milli / kMilli, node_gpu_milli_ / kMilli);
  } else if (pod.count == 0 && gang.gpu_milli == 0 && whole_cpus) {
    pod.count = equal_parts(gang.cpu_milli / kMilli, node_cpu_milli_ / kMilli);
  }
  pod.count = std::max<int64_t>(pod.count, 1);
  pod.gpu_milli = gang.gpu_milli / pod.count;
  pod.cpu_milli = up(gang.cpu_milli, pod.count);
  pod.memory = up(gang.memory, pod.count);
  return pod;
}

GangPlan TracedSource::plan(size_t gang) const {
  const TracedGang& traced = *gangs_[gang];
  return {.name_space = std::string(kTraceNamespace),
          .name = traced.name,
          .shown = traced.name,
          .queue = traced.queue,
          .arrival = start_ + traced.arrival,
          .duration = traced.duration,
          .gpu_milli = traced.gpu_milli};
}

void TracedSource::set_queue(const TracedGang& traced, StringTable& strings, Gang& gang) const {
  if (queues_.empty() || traced.queue.empty()) return;
  gang.queue = strings.intern(traced.queue);
  if (std::ranges::binary_search(queues_, traced.queue)) return;
  Reason reason;
  reason.code = ReasonCode::QueueNotFound;
  reason.subject = traced.queue;
  gang.errors.push_back(std::move(reason));
}

PodSpec TracedSource::spec_of(const TracedGang& traced, const Pod& pod,
                              StringTable& strings) const {
  PodSpec spec;
  spec.requests.set(kCpu, pod.cpu_milli);
  spec.requests.set(kMemory, pod.memory);
  spec.requests.set(kPods, 1);
  if (pod.gpu_milli < kMilli) {
    spec.gpu_share.portion_milli = static_cast<int32_t>(pod.gpu_milli);
  } else {
    spec.requests.set(gpu_, up(pod.gpu_milli, kMilli) * kMilli);
  }
  if (!partitions_.empty()) {
    spec.node_selector.push_back({strings.intern(kPartitionLabel), strings.intern(traced.queue)});
  }
  if (traced.models.empty()) return spec;
  Requirement models{strings.intern(kModelLabel), SelectorOp::In, {}};
  for (const std::string& model : traced.models) models.values.push_back(strings.intern(model));
  spec.required_affinity.push_back({{std::move(models)}, {}});
  spec.has_required_affinity = true;
  return spec;
}

Objects TracedSource::objects(size_t index, Vocabulary& vocabulary) const {
  StringTable& strings = vocabulary.strings;
  const TracedGang& traced = *gangs_[index];
  Pod each = pod_of(traced);
  Objects objects;
  Gang& gang = objects.gangs.emplace_back();
  gang.name_space = strings.intern(kTraceNamespace);
  gang.name = traced.name;
  gang.created = start_ + traced.arrival;
  if (traced.expected >= 0) gang.run_time_us = std::max<TimeUs>(traced.expected, 1);
  gang.min_member = static_cast<int32_t>(each.count);
  gang.priority = traced.priority.value_or(kDefaultPriority);
  gang.preemptible = gang.priority < kLeastNonPreemptible;
  set_queue(traced, strings, gang);
  auto level = levels_.find(traced.level);
  if (level != levels_.end()) {
    gang.topology.topology = strings.intern(level->second.topology);
    gang.topology.required = strings.intern(level->second.label);
  }
  trellis::Pod record;
  record.name_space = gang.name_space;
  record.gang = strings.intern(std::string(kTraceNamespace) + "/" + traced.name);
  record.created = gang.created;
  SharedSpec spec(spec_of(traced, each, strings));
  for (int64_t i = 0; i < each.count; ++i) {
    record.name = traced.name + "-" + std::to_string(i);
    record.completion_index = static_cast<int32_t>(i);
    objects.pods.push_back({record, spec});
  }
  return objects;
}

}  // namespace trellis
