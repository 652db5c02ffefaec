#include "session/snapshot/workload_classes.h"

#include <utility>

#include "session/cluster/named_table.h"

namespace trellis {
namespace {

class ShapeText {
 public:
  void add(int64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  void add(StrId id) { add(int64_t{id.value}); }
  void add(const PodSet& set, PodClassId pod_class) {
    const TopologyRequest& topology = set.topology;
    add(int64_t{pod_class.value});
    add(set.count);
    add(set.min_count.value_or(-1));
    add(topology.required);
    add(topology.preferred);
    add(topology.unconstrained ? 1 : 0);
    add(topology.balanced ? 1 : 0);
    add(topology.group);
    add(static_cast<int64_t>(topology.segments.size()));
    for (const SegmentLayer& layer : topology.segments) {
      add(layer.size);
      add(layer.required);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

void WorkloadClasses::resize(size_t queues, size_t workloads) {
  of_queue_.resize(queues);
  waiting_.resize(queues, 0);
  positions_.resize(workloads);
}

uint32_t WorkloadClasses::shape_of(const Cluster& cluster, WorkloadId id) {
  ShapeText text;
  const Workload& workload = cluster.workloads()[id];
  const std::vector<PodClassId>& classes = cluster.workloads().classes(id);
  text.add(workload.name_space);
  for (size_t i = 0; i < classes.size(); ++i) text.add(workload.pod_sets[i], classes[i]);
  return shape_ids_.try_emplace(text.take(), static_cast<uint32_t>(shape_ids_.size()))
      .first->second;
}

void WorkloadClasses::add(const Cluster& cluster, ClusterQueueId queue, WorkloadId id) {
  const Workload& workload = cluster.workloads()[id];
  uint32_t shape = shape_of(cluster, id);
  auto [at, fresh] = by_shape_.try_emplace((uint64_t{queue.value} << 32) | shape);
  if (fresh) {
    at->second = classes_.push_back({});
    of_queue_[queue].push_back(at->second);
  }
  WorkloadClassId of = at->second;
  TimeUs queued = workload.queued != kNoTime ? workload.queued : workload.created;
  WorkloadTurnKey key{workload.priority, queued,
                      full_key(cluster.vocabulary().strings, workload.name_space, workload.name),
                      id};
  positions_[id] = {queue, of, key};
  classes_[of].insert(std::move(key));
  ++waiting_[queue];
}

void WorkloadClasses::remove(WorkloadId workload) {
  Position& position = positions_[workload];
  if (!position.queue.valid()) return;
  classes_[position.id].erase(position.key);
  --waiting_[position.queue];
  position = Position();
}

}  // namespace trellis
