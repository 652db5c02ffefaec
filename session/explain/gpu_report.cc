#include "session/explain/gpu_report.h"

#include <algorithm>

#include "framework/quota_rules.h"
#include "session/cycle/gang_step.h"
#include "session/explain/room.h"
#include "session/explain/topology_report.h"

namespace trellis {
namespace {

// The free GPUs of an open node, and how many of them the kinds seen so far take: the most that one
// kind takes by the node alone, by node and domain, and by node, domain and quota.
struct FreeGpus {
  NodeId node;
  ResourceId resource;
  int64_t free = 0;
  int64_t by_node = 0;
  int64_t by_domain = 0;
  int64_t by_quota = 0;
  // Why no kind takes more by the node alone: the kind that comes nearest says so, the first that
  // lacks something beside devices, else the first that lacks devices (Size stands for all that
  // concerns devices).
  StrandCause cause = StrandCause::Rules;
};

class GpuMeasure {
 public:
  explicit GpuMeasure(Session& session)
      : session_(session), cluster_(session.cluster()), state_(session.snapshot().state()) {
    report_.mix = gpu_mix(session);
  }

  GpuReport run() {
    for (NodeId node : cluster_.nodes_by_name()) {
      for (ResourceId resource : {kGpu, kAmdGpu}) measure(node, resource);
    }
    for (const GpuKind& kind : report_.mix) take(kind);
    for (const FreeGpus& gpus : free_) judge(gpus);
    int64_t pods = report_.mix_pods();
    if (pods > 0 && report_.free > 0) {
      report_.fragmentation =
          useless_ / (static_cast<double>(pods) * static_cast<double>(report_.free));
    }
    find_largest();
    return std::move(report_);
  }

 private:
  void measure(NodeId node, ResourceId resource) {
    int64_t all = state_.allocatable[resource][node];
    if (all <= 0) return;
    NodeUsage usage = measure_usage(session_, resource, node);
    report_.total += all;
    report_.allocated += usage.allocated;
    report_.closed += usage.unavailable;
    report_.free += usage.available;
    if (usage.available > 0) {
      free_.push_back({.node = node, .resource = resource, .free = usage.available});
    }
  }

  bool has_quota(const GpuKind& kind, const GpuClass& of_kind) const {
    ResourceList asked = asked_by(cluster_.pod_classes()[of_kind.pod_class]);
    if (kind.gang.valid()) {
      QueueAmounts need;
      need.add(queue_amounts(asked, cluster_.vocabulary().resources), kind.together);
      return may_take(session_, kind.gang, need).code == ReasonCode::None;
    }
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    ClusterQueueId queue = ledger.queue_of(kind.workload);
    const QuotaRules* rules = session_.hooks().quota_rules;
    bool ruled = rules != nullptr && queue.valid() && ledger.tree().node(queue).valid();
    if (!ruled || !of_kind.flavor.valid()) return true;
    PodSetAdmission more;
    more.flavors = {{kind.resource, of_kind.flavor}};
    more.usage.set(kind.resource, saturating_product(kind.gpu_milli, kind.together));
    return rules->fits(queue, ledger.amounts_of(more));
  }

  // A node takes the class of the kind that fits it best.
  void take(const GpuKind& kind) {
    std::vector<int64_t> most(free_.size());
    for (const GpuClass& of_kind : kind.classes) take(kind, of_kind, most);
    for (size_t i = 0; i < free_.size(); ++i) {
      useless_ += static_cast<double>(kind.pods) * static_cast<double>(free_[i].free - most[i]);
    }
  }

  void take(const GpuKind& kind, const GpuClass& of_kind, std::vector<int64_t>& most) {
    bool quota = has_quota(kind, of_kind);
    const auto& fits = session_.fits().node_fits(of_kind.pod_class, FitMode::Now);
    for (size_t i = 0; i < free_.size(); ++i) {
      FreeGpus& gpus = free_[i];
      if (gpus.resource != kind.resource) continue;
      int64_t taken = std::min(gpus.free, fits[gpus.node] * kind.gpu_milli);
      most[i] = std::max(most[i], taken);
      gpus.by_node = std::max(gpus.by_node, taken);
      if (taken > 0 && domain_takes(kind, of_kind, gpus.node)) {
        gpus.by_domain = std::max(gpus.by_domain, taken);
        if (quota) gpus.by_quota = std::max(gpus.by_quota, taken);
      }
      if (taken < gpus.free) note_cause(kind, of_kind.pod_class, fits[gpus.node], gpus);
    }
  }

  bool domain_takes(const GpuKind& kind, const GpuClass& of_kind, NodeId node) {
    if (!of_kind.topology.valid()) return true;
    const TopologyTree& tree = session_.snapshot().trees()[of_kind.topology];
    if (!tree.contains(node)) return false;
    DomainId domain = tree.ancestor(tree.domain_of(node), of_kind.level);
    if (!domain.valid()) return false;
    const DomainCounts& counts =
        session_.fits().domain_counts(of_kind.topology, of_kind.pod_class, FitMode::Now);
    return counts[domain] >= kind.together;
  }

  void note_cause(const GpuKind& kind, PodClassId pod_class, int64_t fits, FreeGpus& gpus) {
    if (gpus.cause != StrandCause::Rules && gpus.cause != StrandCause::Size) return;
    StrandCause cause = hindrance(kind, pod_class, gpus.node, fits);
    if (cause != StrandCause::Rules) gpus.cause = cause;
  }

  // What keeps one more pod out once the node is full of pods of this kind.
  StrandCause hindrance(const GpuKind& kind, PodClassId pod_class, NodeId node, int64_t fits) {
    if (session_.fits().class_verdict(pod_class, node) != ReasonCode::None) {
      return StrandCause::Rules;
    }
    const PodSpec& spec = cluster_.pod_classes()[pod_class];
    if (!devices_left(kind, spec, node, fits)) return StrandCause::Size;
    auto lacks = [&](ResourceId resource) {
      int64_t request = spec.requests.get(resource);
      return request > 0 && state_.now[resource][node] - fits * request < request;
    };
    if (lacks(kCpu)) return StrandCause::Cpu;
    return lacks(kMemory) ? StrandCause::Memory : StrandCause::Rules;
  }

  bool devices_left(const GpuKind& kind, const PodSpec& spec, NodeId node, int64_t fits) const {
    int64_t whole = std::max<int64_t>(0, state_.now[kind.resource][node]);
    if (!spec.gpu_share.active()) return whole - fits * kind.gpu_milli >= kind.gpu_milli;
    int64_t portion = std::max<int64_t>(1, kind.gpu_milli / spec.gpu_share.devices);
    int64_t places = whole / kMilli * std::max<int64_t>(1, kMilli / portion);
    for (int64_t left : state_.devices(node, FitMode::Now)) {
      if (left < kMilli) places += std::max<int64_t>(0, left) / portion;
    }
    return places >= (fits + 1) * spec.gpu_share.devices;
  }

  void judge(const FreeGpus& gpus) {
    if (report_.mix.empty()) {
      report_.useful += gpus.free;
      return;
    }
    report_.useful += gpus.by_quota;
    strand(StrandCause::Quota, gpus.by_domain - gpus.by_quota);
    strand(StrandCause::Topology, gpus.by_node - gpus.by_domain);
    int64_t rest = gpus.free - gpus.by_node;
    if (gpus.cause != StrandCause::Size) return strand(gpus.cause, rest);
    int64_t parts = 0;
    for (int64_t left : state_.devices(gpus.node, FitMode::Now)) {
      if (gpus.resource == kGpu && left > 0 && left < kMilli) parts += left;
    }
    strand(StrandCause::Sharing, std::min(rest, parts));
    strand(StrandCause::Size, rest - std::min(rest, parts));
  }

  void strand(StrandCause cause, int64_t amount) {
    report_.stranded[static_cast<size_t>(cause)] += amount;
  }

  void find_largest() {
    std::vector<TopologyId> topologies;
    for (uint32_t i = 0; i < cluster_.topologies().size(); ++i) {
      if (cluster_.alive(TopologyId(i))) topologies.emplace_back(i);
    }
    std::ranges::sort(topologies, {}, [&](TopologyId id) -> const std::string& {
      return cluster_.topologies()[id].name;
    });
    for (TopologyId topology : topologies) {
      int levels = session_.snapshot().trees()[topology].level_count();
      for (int level = 0; level < levels; ++level) find_largest(topology, level);
    }
  }

  void find_largest(TopologyId topology, int level) {
    IdRange domains = session_.snapshot().trees()[topology].level(level);
    LargestGang largest;
    auto offer = [&](uint32_t domain, size_t kind, int64_t pods, int64_t gpu_milli) {
      int64_t amount = saturating_product(gpu_milli, pods);
      if (amount > largest.gpu_milli) largest = {{topology, DomainId(domain)}, kind, pods, amount};
    };
    for (uint32_t i = domains.first; i < domains.last; ++i) {
      if (report_.mix.empty()) offer(i, 0, idle_devices(topology, DomainId(i)), kMilli);
    }
    for (size_t k = 0; k < report_.mix.size(); ++k) {
      for (const GpuClass& of_kind : report_.mix[k].classes) {
        const DomainCounts& counts =
            session_.fits().domain_counts(topology, of_kind.pod_class, FitMode::Now);
        for (uint32_t i = domains.first; i < domains.last; ++i) {
          offer(i, k, counts[DomainId(i)], report_.mix[k].gpu_milli);
        }
      }
    }
    if (largest.pods > 0) report_.largest.push_back(largest);
  }

  int64_t idle_devices(TopologyId topology, DomainId domain) const {
    int64_t idle = 0;
    for (NodeId node : session_.snapshot().trees()[topology].nodes(domain)) {
      if (is_closed(cluster_.nodes()[node])) continue;
      for (ResourceId resource : {kGpu, kAmdGpu}) {
        idle += std::max<int64_t>(0, state_.now[resource][node]) / kMilli;
      }
    }
    return idle;
  }

  Session& session_;
  const Cluster& cluster_;
  const NodeState& state_;
  GpuReport report_;
  std::vector<FreeGpus> free_;
  double useless_ = 0;  // GPU milli that a pod cannot use, summed over pods and nodes
};

}  // namespace

std::string_view to_string(StrandCause cause) {
  constexpr std::array<std::string_view, kStrandCauses> kNames = {
      "cpu", "memory", "sharing", "size", "rules", "topology", "quota"};
  return kNames.at(static_cast<size_t>(cause));
}

int64_t GpuReport::mix_pods() const {
  int64_t pods = 0;
  for (const GpuKind& kind : mix) pods += kind.pods;
  return pods;
}

double GpuReport::allocation_rate() const {
  return total > 0 ? static_cast<double>(allocated) / static_cast<double>(total) : 0;
}

GpuReport report_gpus(Session& session) { return GpuMeasure(session).run(); }

}  // namespace trellis
