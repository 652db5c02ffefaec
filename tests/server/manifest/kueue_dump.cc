#include <sstream>

#include "tests/server/manifest/reading.h"

namespace trellis::test {
namespace {

class KueueDump {
 public:
  explicit KueueDump(const Reading& reading) : reading_(reading) {}

  std::string run() {
    const Objects& objects = reading_.manifest.objects;
    for (const Flavor& flavor : objects.flavors) {
      out_ << "flavor " << flavor.name << " topology=" << text(flavor.topology)
           << " labels=" << flavor.node_labels.size() << " taints=" << flavor.taints.size()
           << " tolerations=" << flavor.tolerations.size() << "\n";
    }
    for (const ClusterQueue& queue : objects.cluster_queues) cluster_queue(queue);
    for (const Cohort& cohort : objects.cohorts) {
      out_ << "cohort " << cohort.name << " parent=" << text(cohort.parent)
           << " weight=" << cohort.weight;
      groups(cohort.groups);
      out_ << "\n";
    }
    for (const LocalQueue& queue : objects.local_queues) {
      out_ << "local-queue " << text(queue.name_space) << "/" << queue.name << " "
           << text(queue.cluster_queue) << " stop=" << static_cast<int>(queue.stop) << "\n";
    }
    for (const DaemonSet& set : objects.daemon_sets) {
      out_ << "daemon-set " << text(set.name_space) << "/" << set.name
           << " cpu=" << set.spec.requests.get(kCpu)
           << " tolerations=" << set.spec.tolerations.size() << "\n";
    }
    for (const Workload& one : objects.workloads) workload(one);
    for (const WorkloadOwnership& row : reading_.manifest.workload_owners) {
      out_ << "owner " << row.name_space << "/" << row.workload << " " << row.group << "/"
           << row.kind << "/" << row.name << (row.made ? " made" : "") << "\n";
    }
    return out_.str();
  }

  void workload(const Workload& one) {
    out_ << "workload " << text(one.name_space) << "/" << one.name << " queue=" << text(one.queue)
         << " priority=" << one.priority;
    if (!one.active) out_ << " inactive";
    if (one.finished) out_ << " finished";
    if (one.checks_pending) out_ << " checks-pending";
    if (one.queued != one.created) out_ << " queued=" << one.queued;
    if (one.pods_ready != PodsReady::Unknown) {
      out_ << " ready=" << static_cast<int>(one.pods_ready) << "@" << one.pods_ready_since
           << (one.ever_ready ? " ever" : "");
    }
    if (one.requeues > 0) out_ << " requeues=" << one.requeues;
    for (const auto& [set, pods] : one.reclaimable) {
      out_ << " reclaimable=" << text(set) << ":" << pods;
    }
    for (const std::string& node : one.unhealthy_nodes) out_ << " unhealthy=" << node;
    reasons(one.errors);
    out_ << "\n";
    for (const PodSet& set : one.pod_sets) pod_set(set);
    if (one.admission) admission(*one.admission);
  }

  std::string str() const { return out_.str(); }

 private:
  std::string text(Maybe<StrId> id) const { return reading_.text(id); }

  void reasons(const std::vector<Reason>& reasons) {
    for (const Reason& reason : reasons) {
      out_ << " " << to_string(reason.code) << "(" << reason.subject << ")";
    }
  }

  void groups(const std::vector<ResourceGroup>& groups) {
    for (const ResourceGroup& group : groups) {
      out_ << " [";
      for (const FlavorQuota& flavor : group.flavors) {
        for (const ResourceQuota& quota : flavor.resources) {
          out_ << " " << text(flavor.flavor) << ":"
               << reading_.vocabulary->resources.name(quota.resource) << "=" << quota.nominal;
          if (quota.borrowing_limit) out_ << " borrows " << *quota.borrowing_limit;
          if (quota.lending_limit) out_ << " lends " << *quota.lending_limit;
        }
      }
      out_ << " ]";
    }
  }

  void cluster_queue(const ClusterQueue& queue) {
    out_ << "cluster-queue " << queue.name << " cohort=" << text(queue.cohort)
         << " strategy=" << static_cast<int>(queue.queueing)
         << " stop=" << static_cast<int>(queue.stop) << " weight=" << queue.weight
         << " fungible=" << queue.fungibility.borrow_before_next
         << queue.fungibility.preempt_before_next << queue.fungibility.prefers_preemption
         << " preempts=" << static_cast<int>(queue.preemption.within_queue)
         << static_cast<int>(queue.preemption.within_cohort) << queue.preemption.borrows << "/"
         << queue.preemption.max_borrow_priority.value_or(-1)
         << " namespaces=" << queue.name_spaces.nothing << queue.name_spaces.labels.size();
    groups(queue.groups);
    reasons(queue.inactive);
    out_ << "\n";
  }

  void pod_set(const PodSet& set) {
    const TopologyRequest& wanted = set.topology;
    out_ << "  " << text(set.name) << " x" << set.count;
    if (set.min_count) out_ << " min=" << *set.min_count;
    if (wanted.required.valid()) out_ << " required=" << text(wanted.required);
    if (wanted.preferred.valid()) out_ << " preferred=" << text(wanted.preferred);
    if (wanted.unconstrained) out_ << " unconstrained";
    if (wanted.group.valid()) out_ << " group=" << text(wanted.group);
    for (const SegmentLayer& layer : wanted.segments) {
      out_ << " slice=" << layer.size << ":" << text(layer.required);
    }
    if (wanted.index_label.valid()) out_ << " index=" << text(wanted.index_label);
    if (wanted.sub_groups > 0) {
      out_ << " parts=" << wanted.sub_groups << ":" << text(wanted.sub_group_label);
    }
    out_ << " cpu=" << set.spec.requests.get(kCpu) << "\n";
  }

  void admission(const Admission& admission) {
    out_ << "  admitted by " << text(admission.cluster_queue) << " at " << admission.reserved_at;
    for (const PodSetAdmission& set : admission.pod_sets) {
      out_ << "; " << text(set.name) << " x" << set.count;
      for (const auto& [resource, flavor] : set.flavors) {
        out_ << " " << reading_.vocabulary->resources.name(resource) << ":" << text(flavor);
      }
      out_ << " uses " << set.usage.get(kCpu) << (set.delayed_topology ? " delayed" : "");
      if (!set.topology) continue;
      for (size_t i = 0; i < set.topology->size(); ++i) {
        size_t levels = set.topology->levels.size();
        out_ << " ";
        for (size_t l = 0; l < levels; ++l)
          out_ << text(set.topology->values[i * levels + l]) << "/";
        out_ << "=" << set.topology->counts[i];
      }
    }
    out_ << "\n";
  }

  const Reading& reading_;
  std::ostringstream out_;
};

}  // namespace

std::string dump_kueue(const Reading& reading) { return KueueDump(reading).run(); }

std::string show(const Reading& reading, const Workload& workload) {
  KueueDump dump(reading);
  dump.workload(workload);
  return dump.str();
}

}  // namespace trellis::test
