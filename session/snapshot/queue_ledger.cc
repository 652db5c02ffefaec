#include "session/snapshot/queue_ledger.h"

#include <algorithm>
#include <utility>

#include "framework/check.h"
#include "framework/gpu_share.h"
#include "session/cluster/pod_hold.h"

namespace trellis {
namespace {

// What the node adds to the queues' capacity: all that no pod of another scheduler holds.
QueueAmounts capacity_of(const Cluster& cluster, const QueueLedger& ledger, NodeId node) {
  if (!cluster.alive(node) || is_closed(cluster.nodes()[node])) return {};
  QueueAmounts sum =
      queue_amounts(cluster.nodes()[node].allocatable, cluster.vocabulary().resources);
  for (PodId pod : cluster.pods_of(node)) {
    const PodSlot& slot = cluster.pods()[pod];
    if (slot.pod.hold != PodHold::OtherScheduler || !will_remain(slot.pod.status)) continue;
    sum.add(ledger.amounts(cluster, slot.pod_class, node), -1);
  }
  return sum;
}

}  // namespace

bool QueueLedger::read_gpu_memory(const Cluster& cluster) {
  int64_t least = 0;
  for (const Node& node : cluster.nodes()) {
    if (node.gpu_memory_mib <= 0) continue;
    if (least == 0 || node.gpu_memory_mib < least) least = node.gpu_memory_mib;
  }
  bool changed = least != least_gpu_memory_mib_;
  least_gpu_memory_mib_ = least;
  return changed;
}

QueueAmounts QueueLedger::amounts(const Cluster& cluster, PodClassId pod_class, NodeId node) const {
  const PodSpec& spec = cluster.pod_classes()[pod_class];
  QueueAmounts sum = queue_amounts(spec.requests, cluster.vocabulary().resources);
  if (!spec.gpu_share.active()) return sum;
  Node smallest;
  smallest.gpu_memory_mib = least_gpu_memory_mib_;
  int64_t portion = share_portion(spec.gpu_share, node.valid() ? cluster.nodes()[node] : smallest);
  sum[QueueResource::Gpu] = add_to_sum(sum[QueueResource::Gpu], portion * spec.gpu_share.devices);
  return sum;
}

void QueueLedger::resolve(const Cluster& cluster, GangId id) {
  const Gang& gang = cluster.gangs()[id];
  QueueId queue;
  if (cluster.alive(id)) {
    queue = gang.queue ? cluster.find_queue(cluster.vocabulary().strings.view(*gang.queue))
                       : tree_.open_queue();
  }
  move_gang(id, queue.valid() && tree_.contains(queue) ? queue : QueueId());
}

void QueueLedger::move_gang(GangId gang, Maybe<QueueId> to) {
  Maybe<QueueId> from = queue_of_gang_[gang];
  if (from == to) return;
  if (from) {
    std::vector<GangId>& gangs = gangs_of_[*from];
    gangs[index_[gang]] = gangs.back();
    index_[gangs.back()] = index_[gang];
    gangs.pop_back();
  }
  queue_of_gang_[gang] = to;
  if (!to) return;
  index_[gang] = static_cast<uint32_t>(gangs_of_[*to].size());
  gangs_of_[*to].push_back(gang);
}

QueueAmounts QueueLedger::Core::of(const QueueAmounts& allocated) const {
  if (staying <= needed) return allocated;
  // In two steps, so that no product exceeds the amount by more than the number of pods.
  QueueAmounts part;
  for (QueueResource resource : kAllQueueResources) {
    int64_t each = allocated[resource] / staying;
    int64_t rest = allocated[resource] % staying;
    part[resource] = each * needed + rest * needed / staying;
  }
  return part;
}

QueueUse QueueLedger::count(const Cluster& cluster, GangId gang) {
  const Gang& record = cluster.gangs()[gang];
  QueueUse use;
  if (record.background) return use;
  Core core{0, record.min_member};
  bool placeable = tree_.is_leaf(*queue_of_gang_[gang]);
  for (PodId pod : cluster.pods_of(gang)) {
    const PodSlot& slot = cluster.pods()[pod];
    if (slot.pod.hold == PodHold::OtherScheduler) continue;
    if (slot.pod.status == PodStatus::Succeeded)
      core.needed = std::max<int64_t>(core.needed - 1, 0);
    if (will_remain(slot.pod.status)) {
      ++core.staying;
      use.allocated.add(amounts(cluster, slot.pod_class, slot.node));
    } else if (placeable && slot.pod.status == PodStatus::Pending &&
               hold_of(cluster, slot) == PodHold::None) {
      use.waiting.add(amounts(cluster, slot.pod_class, NodeId()));
    }
  }
  if (!record.preemptible) use.non_preemptible = use.allocated;
  if (!record.keeps_minimum) return use;
  if (!cores_.contains(gang)) cores_.resize(gang.value + 1);
  cores_[gang] = core;
  use.non_preemptible = core.of(use.allocated);
  return use;
}

void QueueLedger::add_up(GangId gang, int64_t times) {
  const QueueUse& more = gang_use_[gang];
  for (QueueId at = queue_of_gang_[gang].raw(); at.valid(); at = tree_.parent(at)) {
    QueueUse& use = use_[at];
    use.add(more, times);
    saturated_ = saturated_ || use.saturated();
  }
}

void QueueLedger::recount(const Cluster& cluster, GangId gang) {
  add_up(gang, -1);
  resolve(cluster, gang);
  gang_use_[gang] = queue_of_gang_[gang] ? count(cluster, gang) : QueueUse();
  add_up(gang, 1);
}

void QueueLedger::measure(const Cluster& cluster, NodeId node) {
  QueueAmounts amounts = capacity_of(cluster, *this, node);
  capacity_.add(node_capacity_[node], -1);
  capacity_.add(amounts);
  saturated_ = saturated_ || capacity_.saturated();
  node_capacity_[node] = amounts;
}

void QueueLedger::measure_nodes(const Cluster& cluster, const ClusterChanges& changes) {
  node_capacity_.resize(cluster.nodes().size());
  for (NodeId node : changes.nodes) measure(cluster, node);
}

void QueueLedger::measure_all(const Cluster& cluster) {
  node_capacity_.assign(cluster.nodes().size(), {});
  capacity_ = {};
  for (uint32_t i = 0; i < cluster.nodes().size(); ++i) measure(cluster, NodeId(i));
}

void QueueLedger::refresh(const Cluster& cluster, const ClusterChanges& changes) {
  if (changes.queues) tree_ = QueueTree(cluster.queues(), shape_, cluster.vocabulary().strings);
  size_t gangs = cluster.gangs().size();
  bool smallest_changed = changes.node_set && read_gpu_memory(cluster);
  // A sum that saturated does not follow what is subtracted from it.
  bool rebuild = std::exchange(saturated_, false) || changes.queues;
  if (rebuild) {
    use_.assign(tree_.size(), {});
    gangs_of_.assign(tree_.size(), {});
    queue_of_gang_.assign(gangs, {});
    gang_use_.assign(gangs, {});
  }
  queue_of_gang_.resize(gangs);
  gang_use_.resize(gangs);
  index_.resize(gangs);
  if (tree_.empty()) return;
  rebuild ? measure_all(cluster) : measure_nodes(cluster, changes);
  if (rebuild || smallest_changed) {
    for (uint32_t i = 0; i < gangs; ++i) recount(cluster, GangId(i));
    return;
  }
  for (GangId gang : changes.gangs) recount(cluster, gang);
}

void QueueLedger::charge(UndoLog& log, GangId id, const Gang& gang, const QueueAmounts& amounts,
                         int64_t times) {
  if (!queue_of_gang_[id] || gang.background) return;
  QueueUse more;
  more.allocated.add(amounts, times);
  if (!gang.preemptible) more.non_preemptible = more.allocated;
  if (gang.keeps_minimum) {
    const QueueUse& own = gang_use_[id];
    log.set(cores_[id].staying, cores_[id].staying + times);
    QueueAmounts allocated = own.allocated;
    allocated.add(more.allocated);
    more.non_preemptible = cores_[id].of(allocated);
    more.non_preemptible.add(own.non_preemptible, -1);
  }
  auto change = [&](QueueUse& use) {
    auto add = [&](int64_t& sum, int64_t amount) {
      if (amount != 0) log.set(sum, add_to_sum(sum, amount));
    };
    for (size_t i = 0; i < kQueueResources; ++i) {
      add(use.allocated.of[i], more.allocated.of[i]);
      add(use.non_preemptible.of[i], more.non_preemptible.of[i]);
    }
  };
  change(gang_use_[id]);
  for (QueueId at = queue_of_gang_[id].raw(); at.valid(); at = tree_.parent(at)) change(use_[at]);
}

void QueueLedger::check_invariants(const Cluster& cluster) const {
  QueueLedger fresh(shape_);
  ClusterChanges all{.node_set = true, .queues = true};
  fresh.refresh(cluster, all);
  bool same = fresh.use_ == use_ && fresh.gang_use_ == gang_use_ && fresh.capacity_ == capacity_;
  require(same, "the sums of queues are what their pods ask for");
}

}  // namespace trellis
