#include "server/wording/reason_catalog.h"

namespace trellis {
namespace {

constexpr std::string_view kNode = "node";
constexpr std::string_view kGang = "gang";
constexpr std::string_view kWorkload = "workload";

ReasonEntry node_entry(ReasonCode code) {
  auto entry = [&](std::string_view meaning, std::string_view remedy) {
    return ReasonEntry{code, kNode, meaning, remedy};
  };
  switch (code) {
    case ReasonCode::InsufficientResource:
      return entry("Less of a resource is free on the node than the pod asks for.",
                   "Ask for less, free the node, or add nodes.");
    case ReasonCode::TooManyPods:
      return entry("The node already holds as many pods as it allows (`allocatable.pods`).",
                   "Raise the node's pod limit, or add nodes.");
    case ReasonCode::NodeNotReady:
      return entry("The node's Ready condition is not True.", "Repair the node.");
    case ReasonCode::NodeUnschedulable:
      return entry("The node is cordoned (`spec.unschedulable`).", "Uncordon the node.");
    case ReasonCode::UntoleratedTaint:
      return entry("A NoSchedule or NoExecute taint of the node is not tolerated by the pod.",
                   "Add a toleration, or remove the taint.");
    case ReasonCode::NodeSelectorMismatch:
      return entry("The node lacks a label that the pod's `nodeSelector` names.",
                   "Label the node, or change the selector.");
    case ReasonCode::NodeAffinityMismatch:
      return entry("No term of the pod's required node affinity matches the node.",
                   "Label the node, or change the affinity.");
    case ReasonCode::HostPortConflict:
      return entry("A host port that the pod asks for is taken on the node.",
                   "Use another port, or fewer pods a node.");
    case ReasonCode::InsufficientGpuShare:
      return entry("No GPU of the node has as large a part left as the pod asks for.",
                   "Ask for a smaller part, or free a GPU.");
    case ReasonCode::GpuMemoryUnknown:
      return entry("The pod asks for GPU memory, and the node does not say how much a GPU has.",
                   "Label the node with `nvidia.com/gpu.memory` (MiB).");
    case ReasonCode::OutsideDomain:
      return entry("The node is outside the domain that the gang is bound to.",
                   "Free nodes inside the domain, or require a coarser level.");
    case ReasonCode::PodAffinityMismatch:
      return entry("No pod that the pod's required affinity asks for is near the node.",
                   "Place those pods first, label the node, or prefer instead of requiring.");
    case ReasonCode::PodAntiAffinityConflict:
      return entry("A pod that the pod's required anti-affinity excludes is near the node.",
                   "Add nodes or domains, or prefer instead of requiring.");
    case ReasonCode::ExistingPodAntiAffinity:
      return entry("The required anti-affinity of a pod near the node excludes the pod.",
                   "Move that pod, or change its terms.");
    case ReasonCode::TopologySpreadLabelMissing:
      return entry("The node lacks a label that a topology spread constraint of the pod names.",
                   "Label the node, or use `ScheduleAnyway`.");
    case ReasonCode::TopologySpreadSkew:
      return entry(
          "The node's domain would hold too many more of the pods that a topology spread "
          "constraint counts than the emptiest domain (`maxSkew`).",
          "Make room in the emptier domains, or raise `maxSkew`.");
    case ReasonCode::InsufficientNumaZone:
      return entry(
          "The node's Topology Manager would refuse the pod: no NUMA zone, or set of zones, that "
          "its policy allows has what a container asks for.",
          "Free a zone, ask for less a container, or use nodes of another policy.");
    case ReasonCode::NumaZonesStale:
      return entry(
          "What is known of the node's NUMA zones is out of date: its kubelet refused a pod that "
          "they should have held, or pods came that the report does not know.",
          "Wait for the agent's next NodeResourceTopology report.");
    case ReasonCode::NumaZoneNotShared:
      return entry(
          "The gang requires one NUMA zone for all of its pods (level "
          "`trellis.scheduler/numa-zone`), "
          "and the node's kubelet would put this one elsewhere than in the zone that it has there.",
          "Free the gang's zone, ask for less a pod, or require the hostname alone.");
    case ReasonCode::NoNumaZones:
      return entry(
          "The gang requires one NUMA zone for all of its pods (level "
          "`trellis.scheduler/numa-zone`), "
          "and the node has none to share: there is no NodeResourceTopology of it, or its Topology "
          "Manager's policy is none.",
          "Run a NodeResourceTopology agent and set a policy on the node, or require the "
          "hostname.");
    case ReasonCode::NodeNotOfFlavor:
      return entry("The node does not carry the labels of the flavor (`spec.nodeLabels`).",
                   "Label the node, if it belongs to the flavor.");
    case ReasonCode::LevelLabelMissing:
      return entry(
          "The node lacks the label of a level of the flavor's topology: workloads count only "
          "nodes that carry all of them.",
          "Label the node.");
    case ReasonCode::TooManyPodsOfService:
      return entry(
          "The node holds as many pods of the service as `trellis.scheduler/max-pods-per-node` "
          "allows.",
          "Add nodes, or raise the number.");
    default:
      return {};
  }
}

ReasonEntry workload_entry(ReasonCode code) {
  auto entry = [&](std::string_view meaning, std::string_view remedy) {
    return ReasonEntry{code, kWorkload, meaning, remedy};
  };
  switch (code) {
    case ReasonCode::NoMatchingFlavor:
      return entry(
          "No flavor of the ClusterQueue is for pods like these: by taints, node affinity, "
          "resources, or topology.",
          "Change the pods, or add a flavor to the ClusterQueue.");
    case ReasonCode::WaitingForQuota:
      return entry("Quota is short for now in every flavor.",
                   "Wait, ask for less, raise the quota, or allow preemption.");
    case ReasonCode::ExceedsMaxQuota:
      return entry(
          "The workload asks for more than its ClusterQueue could ever have, all that it may "
          "borrow included.",
          "Ask for less, or raise the quota.");
    case ReasonCode::TopologyPlacementFailed:
      return entry("There is quota, and no domain that takes the pods as they ask.",
                   "Ask for a coarser level, free nodes, or add some.");
    case ReasonCode::WaitingForPreemptedWorkloads:
      return entry("Other workloads were evicted for this one.", "Wait until their pods are gone.");
    case ReasonCode::PendingDelayedTopologyRequests:
      return entry("Quota is reserved; the topology waits until the admission checks are Ready.",
                   "See what the admission checks wait for.");
    case ReasonCode::WaitingForPodsReady:
      return entry(
          "`waitForPodsReady.blockAdmission`: a workload that was admitted before has pods that "
          "are not ready.",
          "Wait, or find out why those pods are not ready.");
    case ReasonCode::Misconfigured:
      return entry(
          "What the workload asks for contradicts itself or its queue; or a gang requires a level "
          "of a topology, and the plugin `topology` is off.",
          "Correct the request as the message says.");
    case ReasonCode::Suspended:
      return entry("`spec.active` of the workload is false.", "Set it to true.");
    case ReasonCode::NamespaceMismatch:
      return entry(
          "The ClusterQueue's `namespaceSelector` does not select the workload's namespace.",
          "Label the namespace, or change the selector.");
    case ReasonCode::BehindHead:
      return entry("The ClusterQueue is StrictFIFO, and a workload before this one waits.",
                   "Wait, or use BestEffortFIFO.");
    case ReasonCode::ClusterQueueInactive:
      return entry("The ClusterQueue cannot admit anything; the message says why.",
                   "Correct the ClusterQueue.");
    case ReasonCode::ClusterQueueStopped:
      return entry("The ClusterQueue's `stopPolicy` holds its workloads.",
                   "Set `stopPolicy` to None.");
    case ReasonCode::LocalQueueStopped:
      return entry("The LocalQueue's `stopPolicy` holds its workloads.",
                   "Set `stopPolicy` to None.");
    case ReasonCode::FlavorNotFound:
      return entry("The ClusterQueue names a ResourceFlavor that is not in the input.",
                   "Create the ResourceFlavor.");
    case ReasonCode::CohortCycle:
      return entry("The Cohort, or one above it, is its own ancestor.",
                   "Break the cycle of `parentName`.");
    case ReasonCode::CohortTooDeep:
      return entry("More Cohorts stand above each other than there may be.",
                   "Leave levels out: at most 64 above each other.");
    case ReasonCode::MultiKueueManager:
      return entry("The ClusterQueue hands its workloads to other clusters (MultiKueue).",
                   "Run Trellis in the worker clusters.");
    case ReasonCode::Preempted:
      return entry("The workload was evicted for another one.",
                   "Raise its priority or its queue's quota, or wait.");
    case ReasonCode::DeactivatedDueToRequeuingLimitExceeded:
      return entry(
          "Pods of the workload were not ready in time, once more than "
          "`requeuingStrategy.backoffLimitCount` allows: it leaves, and `spec.active` becomes "
          "false.",
          "Find out why, then set `spec.active` to true.");
    case ReasonCode::PodsReadyTimeout:
      return entry(
          "Pods of the workload were not ready in time (`waitForPodsReady`): it leaves, or waits "
          "until it is queued again.",
          "Find out why, or raise the timeout.");
    case ReasonCode::NodeFailures:
      return entry("Nodes of the workload failed, and no others replace them inside its domain.",
                   "Repair the nodes, or ask for a coarser level.");
    case ReasonCode::Deactivated:
      return entry("The workload held quota when `spec.active` became false.", "Set it to true.");
    default:
      return {};
  }
}

ReasonEntry gang_entry(ReasonCode code) {
  auto entry = [&](std::string_view meaning, std::string_view remedy) {
    return ReasonEntry{code, kGang, meaning, remedy};
  };
  switch (code) {
    case ReasonCode::QueueNotFound:
      return entry("The gang names a queue that is not in the input.",
                   "Create the queue, or name another.");
    case ReasonCode::StaleGang:
      return entry(
          "The gang ran below its minimum for longer than its grace period, and was evicted.",
          "Set `stalenessGracePeriod`, or find out why its pods were lost.");
    case ReasonCode::WorkloadSlotsTaken:
      return entry(
          "The pods belong to a Workload that is admitted, and none of its places is free for "
          "them: others stand there, or the nodes are full.",
          "Delete surplus pods, or see what else runs on those nodes.");
    case ReasonCode::WorkloadStarts:
      return entry("The pods belong to a Workload that was admitted in this cycle.",
                   "Wait: they go in the next cycle, with what its flavors add to them.");
    case ReasonCode::WorkloadNotAdmitted:
      return entry("The pods belong to a Workload that is not admitted.",
                   "See why the workload waits: `trellis schedule`.");
    case ReasonCode::QueueNotLeaf:
      return entry("The gang names a queue that has queues below it; only they hold gangs.",
                   "Name one of the queues below it.");
    case ReasonCode::TopologyNotFound:
      return entry("The gang names a topology that is not in the input.",
                   "Create the Topology, or name another.");
    case ReasonCode::TopologyNotNamed:
      return entry("The gang names a level, and no topology that it is of.",
                   "Name the topology beside the level.");
    case ReasonCode::LevelUnknown:
      return entry("The topology has no such level, or the word fits more than one.",
                   "Use the level's label, its alias, or a last part of the label that is unique.");
    case ReasonCode::LevelOrder:
      return entry(
          "A preferred level is coarser than the required one, or a part's than that around it.",
          "Use a level inside the required one.");
    case ReasonCode::NotEnoughPods:
      return entry("Fewer pods exist than the gang's minimum.",
                   "Wait for the pods' controller, or lower `minMember`.");
    case ReasonCode::SchedulingGated:
      return entry("Scheduling gates hold back so many pods that the minimum cannot be met.",
                   "Remove the gates.");
    case ReasonCode::OtherScheduler:
      return entry("The pods name a scheduler that is not among `schedulerNames`.",
                   "Change `schedulerName`, or the configuration.");
    case ReasonCode::VolumeClaimNotFound:
      return entry(
          "A pod names a PersistentVolumeClaim that is not in the input, or is bound to no volume.",
          "Create the claim in the pod's namespace, or add it to the input; bind it: that is not "
          "done by Trellis yet.");
    case ReasonCode::ResourceClaimsNotSupported:
      return entry(
          "A pod names a ResourceClaim that does not exist, is not allocated, is leaving, belongs "
          "to another pod, has conditions that are not met, or is reserved for as many pods as it "
          "may be.",
          "Have the claim allocated: that is not done by Trellis yet. Or give the pods to "
          "kube-scheduler.");
    case ReasonCode::GpuFractionBinderMissing:
      return entry(
          "A pod of a live cluster asks for part of a GPU, and nothing says that a program "
          "prepares such parts on the nodes: the pod would start without a GPU.",
          "Run such a program and start `trellis serve` with `--gpu-fraction-binder`, or ask for "
          "whole GPUs.");
    case ReasonCode::GangNotFound:
      return entry("The pods name a PodGroup that is not in the input.", "Create the PodGroup.");
    case ReasonCode::PlacementSkew:
      return entry(
          "A placement preference is hard, and with more pods a group of nodes would be more than "
          "`maxSkew` ahead of another.",
          "Make room in the groups that are behind, raise `maxSkew`, or drop `hard`.");
    case ReasonCode::NodesNoFit:
      return entry("The nodes cannot take as many pods as the gang still needs.",
                   "See the refusals that are counted: free or add what is short.");
    case ReasonCode::TopologyNoFit:
      return entry("No domain of the required level can take as many pods as the gang needs.",
                   "Require a coarser level, ask for less, or free the domain that is named.");
    case ReasonCode::SearchBudgetExhausted:
      return entry("The search ended before a place was found or ruled out.",
                   "Raise `limits.searchBudget`.");
    case ReasonCode::SubgroupUnknown:
      return entry("A pod names a subgroup that is none of the gang's leaves, or names none.",
                   "Set the pod's label `kai.scheduler/subgroup-name` to the name of a leaf.");
    case ReasonCode::SubgroupTree:
      return entry("A subgroup's parent does not exist, or the subgroup is below itself.",
                   "Name another subgroup of the gang as parent, or none.");
    case ReasonCode::SubgroupLimit:
      return entry("The gang has more subgroups, or more of them inside each other, than it may.",
                   "Make it of fewer: at most 1,024, at most 16 inside each other.");
    case ReasonCode::SegmentSizes:
      return entry(
          "Segment sizes are no numbers or do not divide each other, or levels are out of order.",
          "Order layers coarse to fine, each size dividing the one before.");
    case ReasonCode::QueueOverLimit:
      return entry("With the gang, its queue or one above it would hold more than its limit.",
                   "Wait until the queue holds less, raise the limit, or ask for less.");
    case ReasonCode::QueueOverQuota:
      return entry(
          "The gang is not preemptible, and what such gangs hold of its queue, or of one above it, "
          "would pass the quota.",
          "Make the gang preemptible, raise the quota, or wait.");
    case ReasonCode::QueueOverFairShare:
      return entry(
          "There is no room, and the gang may not take any from other queues: its own would hold "
          "more than its fair share.",
          "Wait until something is free, or raise the queue's quota or weight.");
    case ReasonCode::ReservedForOther:
      return entry(
          "A gang of the queue that goes before it has waited longer than `limits.reserveAfter`; "
          "its best domain is held for it.",
          "Wait for that gang, or raise `limits.reserveAfter`.");
    case ReasonCode::InvalidObject:
      return entry(
          "What describes the gang or one of its pods has an error; the message is the first.",
          "Correct it as the message says; `trellis validate` lists all errors.");
    default:
      return {};
  }
}

ReasonEntry victim_entry(ReasonCode code) {
  auto entry = [&](std::string_view meaning, std::string_view remedy) {
    return ReasonEntry{code, kGang, meaning, remedy};
  };
  switch (code) {
    case ReasonCode::VictimsNoFit:
      return entry("No set of gangs that may be moved makes room for it where it may be.",
                   "See which gangs may not be moved, and why; or wait.");
    case ReasonCode::NoVictims:
      return entry("No running gang may be moved for it.",
                   "See which gangs may not be moved, and why; or wait.");
    case ReasonCode::NeverMovesOthers:
      return entry("Its `preemptionPolicy` is `Never`.",
                   "Use a priority class with another `preemptionPolicy`, or wait.");
    case ReasonCode::PreemptionDelay:
      return entry("It has to wait for its `preemptionDelay` before others are moved for it.",
                   "Wait, or shorten `preemptionDelay`.");
    case ReasonCode::UnfairExchange:
      return entry("What would leave for it would take a queue the wrong side of its fair share.",
                   "See `trellis queues`; raise the queue's quota, or wait.");
    case ReasonCode::SameQueue:
      return entry("Reclaim moves gangs of other queues only.", "See the action `preempt`.");
    case ReasonCode::OtherQueue:
      return entry("Preempt moves gangs of the same queue only.", "See the action `reclaim`.");
    case ReasonCode::NotPreemptible:
      return entry("The gang is not preemptible.",
                   "Set `preemptibility: preemptible`, or a priority below 100.");
    case ReasonCode::PriorityNotLower:
      return entry("The gang's priority is not lower.",
                   "Raise the priority of the one that waits.");
    case ReasonCode::PlacedThisCycle:
      return entry("The gang was placed in the same cycle.", "Wait for the next one.");
    case ReasonCode::MinRuntime:
      return entry("The gang has not run for as long as its queue promises.",
                   "Wait, or set `preemptMinRuntime` or `reclaimMinRuntime` of its queue.");
    case ReasonCode::DisruptionBudgetBlocks:
      return entry("A PodDisruptionBudget allows no more of the pods to leave.",
                   "Wait for its pods to become healthy, or change the budget.");
    default:
      return {};
  }
}

}  // namespace

ReasonEntry reason_entry(ReasonCode code) {
  ReasonEntry entry = node_entry(code);
  if (entry.about.empty()) entry = gang_entry(code);
  if (entry.about.empty()) entry = workload_entry(code);
  return entry.about.empty() ? victim_entry(code) : entry;
}

std::vector<ReasonCode> all_reason_codes() {
  std::vector<ReasonCode> codes;
  for (unsigned i = 1;; ++i) {
    auto code = static_cast<ReasonCode>(i);
    if (to_string(code).empty()) return codes;
    codes.push_back(code);
  }
}

std::string reasons_document() {
  std::string text =
      "# Reason codes\n\n"
      "Why a node refuses a pod, and why a gang or a workload waits.\n"
      "A reason carries its code, the plugin that gave it (none: the core), a message, and "
      "details: "
      "pods needed and found, nodes looked at, the topology, level and nearest domain, and how "
      "many "
      "nodes refuse for which cause.\n\n"
      "*More nodes* says whether more nodes could end the wait.\n"
      "In a live cluster only pods whose gang waits for such a reason are `Unschedulable`, which "
      "cluster autoscalers look for "
      "([status](status.md#cluster-autoscalers)).\n\n"
      "| code | of a | more nodes | meaning | what to do |\n|---|---|---|---|---|\n";
  for (ReasonCode code : all_reason_codes()) {
    ReasonEntry entry = reason_entry(code);
    text.append("| `").append(to_string(code)).append("` | ").append(entry.about);
    text.append(more_nodes_help(code) ? " | help" : " | -");
    text.append(" | ").append(entry.meaning).append(" | ").append(entry.remedy).append(" |\n");
  }
  return text;
}

}  // namespace trellis
