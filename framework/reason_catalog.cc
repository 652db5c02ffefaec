#include "framework/reason_catalog.h"

#include <array>
#include <cstddef>

namespace trellis {
namespace {

constexpr ReasonScope kNode = ReasonScope::Node;
constexpr ReasonScope kGang = ReasonScope::Gang;
constexpr ReasonScope kWorkload = ReasonScope::Workload;
constexpr ReasonScope kMove = ReasonScope::Move;
constexpr ReasonScope kVictim = ReasonScope::Victim;
constexpr MoreNodes kHelp = MoreNodes::Help;
constexpr MoreNodes kDoNot = MoreNodes::DoNotHelp;

#define CODE(name) ReasonCode::name, #name

constexpr auto kEntries = std::to_array<ReasonEntry>({
    {CODE(None), kGang, kDoNot, "", "", ""},
    // One node, one pod class
    {CODE(InsufficientResource), kNode, kHelp, "insufficient %",
     "Less of a resource is free on the node than the pod asks for.",
     "Ask for less, free the node, or add nodes."},
    {CODE(TooManyPods), kNode, kHelp, "at the pod limit",
     "The node already holds as many pods as it allows (`allocatable.pods`).",
     "Raise the node's pod limit, or add nodes."},
    {CODE(NodeNotReady), kNode, kHelp, "not ready", "The node's Ready condition is not True.",
     "Repair the node."},
    {CODE(NodeUnschedulable), kNode, kHelp, "unschedulable",
     "The node is cordoned (`spec.unschedulable`).", "Uncordon the node."},
    {CODE(UntoleratedTaint), kNode, kHelp, "with an untolerated taint",
     "A NoSchedule or NoExecute taint of the node is not tolerated by the pod.",
     "Add a toleration, or remove the taint."},
    {CODE(NodeSelectorMismatch), kNode, kHelp, "not matching the node selector",
     "The node lacks a label that the pod's `nodeSelector` names.",
     "Label the node, or change the selector."},
    {CODE(NodeAffinityMismatch), kNode, kHelp, "not matching the node affinity",
     "No term of the pod's required node affinity matches the node.",
     "Label the node, or change the affinity."},
    {CODE(NodeFeatureMissing), kNode, kHelp, "without a feature that the pod needs",
     "The node does not declare a feature of its kubelet that the pod's spec needs "
     "(`status.declaredFeatures`).",
     "Use nodes whose kubelet has the feature, or do without it."},
    {CODE(HostPortConflict), kNode, kHelp, "with a host port taken",
     "A host port that the pod asks for is taken on the node.",
     "Use another port, or fewer pods a node."},
    {CODE(InsufficientGpuShare), kNode, kHelp, "without a GPU that has enough left",
     "No GPU of the node has as large a part left as the pod asks for.",
     "Ask for a smaller part, or free a GPU."},
    {CODE(GpuMemoryUnknown), kNode, kHelp, "of unknown GPU memory",
     "The pod asks for GPU memory, and the node does not say how much a GPU has.",
     "Label the node with `nvidia.com/gpu.memory` (MiB)."},
    {CODE(OutsideDomain), kNode, kHelp, "outside %",
     "The node is outside the domain that the gang is bound to.",
     "Free nodes inside the domain, or require a coarser level."},
    {CODE(PodAffinityMismatch), kNode, kHelp, "not near the pods that its affinity requires",
     "No pod that the pod's required affinity asks for is near the node.",
     "Place those pods first, label the node, or prefer instead of requiring."},
    {CODE(PodAntiAffinityConflict), kNode, kHelp, "near pods that its anti-affinity excludes",
     "A pod that the pod's required anti-affinity excludes is near the node.",
     "Add nodes or domains, or prefer instead of requiring."},
    {CODE(ExistingPodAntiAffinity), kNode, kHelp, "near pods whose anti-affinity excludes it",
     "The required anti-affinity of a pod near the node excludes the pod.",
     "Move that pod, or change its terms."},
    {CODE(TopologySpreadLabelMissing), kNode, kHelp,
     "without a label that its topology spread needs",
     "The node lacks a label that a topology spread constraint of the pod names.",
     "Label the node, or use `ScheduleAnyway`."},
    {CODE(TopologySpreadSkew), kNode, kHelp, "where its topology spread would be exceeded",
     "The node's domain would hold too many more of the pods that a topology spread constraint "
     "counts than the emptiest domain (`maxSkew`).",
     "Make room in the emptier domains, or raise `maxSkew`."},
    {CODE(InsufficientNumaZone), kNode, kHelp, "without a NUMA zone that has enough left",
     "The node's Topology Manager would refuse the pod: no NUMA zone, or set of zones, that its "
     "policy allows has what a container asks for.",
     "Free a zone, ask for less a container, or use nodes of another policy."},
    {CODE(NumaZonesStale), kNode, kHelp, "whose NUMA zones are not known as they stand",
     "What is known of the node's NUMA zones is out of date: its kubelet refused a pod that they "
     "should have held, or pods came that the report does not know.",
     "Wait for the agent's next NodeResourceTopology report."},
    {CODE(NumaZoneNotShared), kNode, kHelp, "where the pod would not share its gang's NUMA zone",
     "The gang requires one NUMA zone for all of its pods (level `trellis.scheduler/numa-zone`), "
     "and the node's kubelet would put this one elsewhere than in the zone that it has there.",
     "Free the gang's zone, ask for less a pod, or require the hostname alone."},
    {CODE(NoNumaZones), kNode, kHelp, "without NUMA zones",
     "The gang requires one NUMA zone for all of its pods (level `trellis.scheduler/numa-zone`), "
     "and the node has none to share: there is no NodeResourceTopology of it, or its Topology "
     "Manager's policy is none.",
     "Run a NodeResourceTopology agent and set a policy on the node, or require the hostname."},
    {CODE(TooManyPodsOfService), kNode, kHelp, "with as many pods of the service as allowed",
     "The node holds as many pods of the service as `trellis.scheduler/max-pods-per-node` allows.",
     "Add nodes, or raise the number."},
    // A gang
    {CODE(QueueNotFound), kGang, kDoNot, "queue % does not exist",
     "The gang names a queue that is not in the input.", "Create the queue, or name another."},
    {CODE(QueueNotLeaf), kGang, kDoNot, "queue % has queues below it, and only those hold gangs",
     "The gang names a queue that has queues below it; only they hold gangs.",
     "Name one of the queues below it."},
    {CODE(TopologyNotFound), kGang, kDoNot, "",
     "The gang names a topology that is not in the input.",
     "Create the Topology, or name another."},
    {CODE(TopologyNotNamed), kGang, kDoNot, "level % is asked for, but no topology is named",
     "The gang names a level, and no topology that it is of.",
     "Name the topology beside the level."},
    {CODE(LevelUnknown), kGang, kDoNot, "",
     "The topology has no such level, or the word fits more than one.",
     "Use the level's label, its alias, or a last part of the label that is unique."},
    {CODE(LevelOrder), kGang, kDoNot, "",
     "A preferred level is coarser than the required one, or a part's than that around it.",
     "Use a level inside the required one."},
    {CODE(NotEnoughPods), kGang, kDoNot, "", "Fewer pods exist than the gang's minimum.",
     "Wait for the pods' controller, or lower `minMember`."},
    {CODE(NotEnoughSubgroups), kGang, kDoNot, "",
     "Fewer groups exist than their CompositePodGroup needs.",
     "Wait for the PodGroups, or create a CompositePodGroup with a lower `minGroupCount`."},
    {CODE(SchedulingGated), kGang, kDoNot, "",
     "Scheduling gates hold back so many pods that the minimum cannot be met.",
     "Remove the gates."},
    {CODE(OtherScheduler), kGang, kDoNot, "its pods belong to another scheduler",
     "The pods name a scheduler that is not among `schedulerNames`.",
     "Change `schedulerName`, or the configuration."},
    {CODE(VolumeClaimNotFound), kGang, kDoNot, "a volume claim of its pods does not exist",
     "A pod names a PersistentVolumeClaim that is not in the input.",
     "Create the claim in the pod's namespace, or add it to the input."},
    {CODE(GangNotFound), kGang, kDoNot, "PodGroup % does not exist",
     "The pods name a PodGroup that is not in the input.", "Create the PodGroup."},
    {CODE(PlacementSkew), kGang, kHelp, "",
     "A placement preference is hard, and with more pods a group of nodes would be more than "
     "`maxSkew` ahead of another.",
     "Make room in the groups that are behind, raise `maxSkew`, or drop `hard`."},
    {CODE(NodesNoFit), kGang, kHelp, "",
     "The nodes cannot take as many pods as the gang still needs.",
     "See the refusals that are counted: free or add what is short."},
    {CODE(TopologyNoFit), kGang, kHelp, "",
     "No domain of the required level can take as many pods as the gang needs.",
     "Require a coarser level, ask for less, or free the domain that is named."},
    {CODE(SearchBudgetExhausted), kGang, kHelp, "",
     "The search ended before a place was found or ruled out.", "Raise `limits.searchBudget`."},
    {CODE(SubgroupUnknown), kGang, kDoNot, "",
     "A pod names a subgroup that is none of the gang's leaves, or names none.",
     "Set the pod's label `kai.scheduler/subgroup-name` to the name of a leaf."},
    {CODE(SubgroupTree), kGang, kDoNot, "its parent % does not exist or is below it",
     "A subgroup's parent does not exist, or the subgroup is below itself.",
     "Name another subgroup of the gang as parent, or none."},
    {CODE(SubgroupLimit), kGang, kDoNot, "",
     "The gang has more subgroups, or more of them inside each other, than it may.",
     "Make it of fewer: at most 1,024, at most 16 inside each other."},
    {CODE(SegmentSizes), kGang, kDoNot, "",
     "Segment sizes are no numbers or do not divide each other, or levels are out of order.",
     "Order layers coarse to fine, each size dividing the one before."},
    {CODE(QueueOverLimit), kGang, kDoNot, "",
     "With the gang, its queue or one above it would hold more than its limit.",
     "Wait until the queue holds less, raise the limit, or ask for less."},
    {CODE(QueueOverQuota), kGang, kDoNot, "",
     "The gang is not preemptible, and what such gangs hold of its queue, or of one above it, "
     "would pass the quota.",
     "Make the gang preemptible, raise the quota, or wait."},
    {CODE(QueueOverFairShare), kGang, kHelp, "",
     "There is no room, and the gang may not take any from other queues: its own would hold more "
     "than its fair share.",
     "Wait until something is free, or raise the queue's quota or weight."},
    {CODE(ReservedForOther), kGang, kDoNot, "",
     "A gang of the queue that goes before it has waited longer than `limits.reserveAfter`; its "
     "best domain is held for it.",
     "Wait for that gang, or raise `limits.reserveAfter`."},
    {CODE(PassedOver), kGang, kHelp, "",
     "It would have had a place in the order of its queue; other gangs of the queue, equal in "
     "rank, use more GPUs there together.",
     "Wait, give the gang a higher priority, or set `limits.reserveAfter` or `limits.lookAhead`."},
    {CODE(InvalidObject), kGang, kDoNot, "",
     "What describes the gang or one of its pods has an error; the message is the first.",
     "Correct it as the message says; `trellis validate` lists all errors."},
    {CODE(StaleGang), kGang, kDoNot, "",
     "The gang ran below its minimum for longer than its grace period, and was evicted.",
     "Set `stalenessGracePeriod`, or find out why its pods were lost."},
    {CODE(WorkloadNotAdmitted), kGang, kDoNot, "workload % is not admitted",
     "The pods belong to a Workload that is not admitted.",
     "See why the workload waits: `trellis schedule`."},
    {CODE(WaitingForZoneReport), kGang, kDoNot, "",
     "A place is promised in NUMA zones that pods have left; the node's report still shows the "
     "zones as used.",
     "Wait for the next report of the node's agent."},
    // A workload that waits (Kueue's names where it has them)
    {CODE(NoMatchingFlavor), kWorkload, kDoNot, "",
     "No flavor of the ClusterQueue is for pods like these: by taints, node affinity, resources, "
     "or topology.",
     "Change the pods, or add a flavor to the ClusterQueue."},
    {CODE(WaitingForQuota), kWorkload, kDoNot, "", "Quota is short for now in every flavor.",
     "Wait, ask for less, raise the quota, or allow preemption."},
    {CODE(ExceedsMaxQuota), kWorkload, kDoNot, "",
     "The workload asks for more than its ClusterQueue could ever have, all that it may borrow "
     "included.",
     "Ask for less, or raise the quota."},
    {CODE(TopologyPlacementFailed), kWorkload, kHelp, "",
     "There is quota, and no domain that takes the pods as they ask.",
     "Ask for a coarser level, free nodes, or add some."},
    {CODE(WaitingForPreemptedWorkloads), kWorkload, kDoNot, "",
     "Other workloads were evicted for this one.", "Wait until their pods are gone."},
    {CODE(PendingDelayedTopologyRequests), kWorkload, kDoNot,
     "the topology is assigned when the admission checks are Ready",
     "Quota is reserved; the topology waits until the admission checks are Ready.",
     "See what the admission checks wait for."},
    {CODE(WaitingForPodsReady), kWorkload, kDoNot,
     "waiting for all admitted workloads to be in PodsReady condition",
     "`waitForPodsReady.blockAdmission`: a workload that was admitted before has pods that are not "
     "ready.",
     "Wait, or find out why those pods are not ready."},
    {CODE(Misconfigured), kWorkload, kDoNot, "",
     "What the workload asks for contradicts itself or its queue; or a gang requires a level of a "
     "topology, and the plugin `topology` is off.",
     "Correct the request as the message says."},
    {CODE(Suspended), kWorkload, kDoNot, "the workload is deactivated",
     "`spec.active` of the workload is false.", "Set it to true."},
    {CODE(NamespaceMismatch), kWorkload, kDoNot,
     "the workload's namespace is not selected by ClusterQueue %",
     "The ClusterQueue's `namespaceSelector` does not select the workload's namespace.",
     "Label the namespace, or change the selector."},
    {CODE(BehindHead), kWorkload, kDoNot, "behind workload % in a StrictFIFO queue",
     "The ClusterQueue is StrictFIFO, and a workload before this one waits.",
     "Wait, or use BestEffortFIFO."},
    // A ClusterQueue that admits nothing
    {CODE(ClusterQueueInactive), kWorkload, kDoNot, "ClusterQueue % is inactive",
     "The ClusterQueue cannot admit anything; the message says why.", "Correct the ClusterQueue."},
    {CODE(ClusterQueueStopped), kWorkload, kDoNot, "ClusterQueue % is stopped",
     "The ClusterQueue's `stopPolicy` holds its workloads.", "Set `stopPolicy` to None."},
    {CODE(LocalQueueStopped), kWorkload, kDoNot, "LocalQueue % is stopped",
     "The LocalQueue's `stopPolicy` holds its workloads.", "Set `stopPolicy` to None."},
    {CODE(FlavorNotFound), kWorkload, kDoNot, "ResourceFlavor % does not exist",
     "The ClusterQueue names a ResourceFlavor that is not in the input.",
     "Create the ResourceFlavor."},
    {CODE(CohortCycle), kWorkload, kDoNot, "Cohort % is its own ancestor",
     "The Cohort, or one above it, is its own ancestor.", "Break the cycle of `parentName`."},
    {CODE(CohortTooDeep), kWorkload, kDoNot, "Cohort % has too many others above it",
     "More Cohorts stand above each other than there may be.",
     "Leave levels out: at most 64 above each other."},
    {CODE(MultiKueueManager), kWorkload, kDoNot,
     "its workloads are handed to other clusters by AdmissionCheck %",
     "The ClusterQueue hands its workloads to other clusters (MultiKueue).",
     "Run Trellis in the worker clusters."},
    // A workload that was evicted
    {CODE(Preempted), kWorkload, kDoNot, "preempted to accommodate a workload",
     "The workload was evicted for another one.",
     "Raise its priority or its queue's quota, or wait."},
    {CODE(PodsReadyTimeout), kWorkload, kDoNot, "exceeded the PodsReady timeout",
     "Pods of the workload were not ready in time (`waitForPodsReady`): it leaves, or waits until "
     "it is queued again.",
     "Find out why, or raise the timeout."},
    {CODE(NodeFailures), kWorkload, kHelp, "no replacement for unhealthy node(s)",
     "Nodes of the workload failed, and no others replace them inside its domain.",
     "Repair the nodes, or ask for a coarser level."},
    {CODE(Deactivated), kWorkload, kDoNot, "the workload is deactivated",
     "The workload held quota when `spec.active` became false.", "Set it to true."},
    // Why others are not moved for a gang
    {CODE(VictimsNoFit), kMove, kHelp, "",
     "No set of gangs or workloads that may be moved makes room for it where it may be.",
     "See which gangs may not be moved, and why; or wait."},
    {CODE(NoVictims), kMove, kHelp, "", "No running gang may be moved for it.",
     "See which gangs may not be moved, and why; or wait."},
    {CODE(NeverMovesOthers), kMove, kHelp, "its preemptionPolicy is Never",
     "Its `preemptionPolicy` is `Never`.",
     "Use a priority class with another `preemptionPolicy`, or wait."},
    {CODE(PreemptionDelay), kMove, kHelp, "its preemptionDelay has not passed",
     "It has to wait for its `preemptionDelay` before others are moved for it.",
     "Wait, or shorten `preemptionDelay`."},
    {CODE(UnfairExchange), kMove, kHelp, "",
     "What would leave for it would take a queue the wrong side of its fair share.",
     "See `trellis queues`; raise the queue's quota, or wait."},
    // One gang that is not moved for another
    {CODE(SameQueue), kVictim, kHelp, "of the same queue",
     "Reclaim moves gangs of other queues only.", "See the action `preempt`."},
    {CODE(OtherQueue), kVictim, kHelp, "of other queues",
     "Preempt moves gangs of the same queue only.", "See the action `reclaim`."},
    {CODE(NotPreemptible), kVictim, kHelp, "not preemptible",
     "The gang, or (semi-preemptible) its minimum, is not preemptible.",
     "Set `preemptibility: preemptible`, or a priority below 100."},
    {CODE(PriorityNotLower), kVictim, kHelp, "of no lower priority",
     "The gang's priority is not lower.", "Raise the priority of the one that waits."},
    {CODE(PlacedThisCycle), kVictim, kHelp, "placed in this cycle",
     "The gang was placed in the same cycle.", "Wait for the next one."},
    {CODE(MinRuntime), kVictim, kHelp, "within the minimum run time",
     "The gang has not run for as long as its queue promises.",
     "Wait, or set `preemptMinRuntime` or `reclaimMinRuntime` of its queue."},
    {CODE(DisruptionBudgetBlocks), kMove, kHelp, "",
     "A PodDisruptionBudget allows no more of the pods to leave.",
     "Wait for its pods to become healthy, or change the budget."},
    // One node, one flavor of a workload
    {CODE(NodeNotOfFlavor), kNode, kHelp, "without the labels of the flavor",
     "The node does not carry the labels of the flavor (`spec.nodeLabels`).",
     "Label the node, if it belongs to the flavor."},
    {CODE(LevelLabelMissing), kNode, kHelp, "without the label of a level",
     "The node lacks the label of a level of the flavor's topology: workloads count only nodes "
     "that carry all of them. Or no node has the label of the level that a gang requires.",
     "Label the node."},
    // Codes that were added later
    {CODE(DeactivatedDueToRequeuingLimitExceeded), kWorkload, kDoNot,
     "the workload is deactivated due to exceeding the maximum number of re-queuing retries",
     "Pods of the workload were not ready in time, once more than "
     "`requeuingStrategy.backoffLimitCount` allows: it leaves, and `spec.active` becomes false.",
     "Find out why, then set `spec.active` to true."},
    {CODE(WorkloadSlotsTaken), kGang, kDoNot,
     "workload % is admitted, and none of its places is free for the pod",
     "The pods belong to a Workload that is admitted, and none of its places is free for them: "
     "others stand there, or the nodes are full.",
     "Delete surplus pods, or see what else runs on those nodes."},
    {CODE(ResourceClaimNotUsable), kGang, kDoNot, "a resource claim of its pods cannot be used",
     "A pod names a ResourceClaim that does not exist, is not made yet, is leaving, belongs to "
     "another pod, has conditions that are not met, or is reserved for as many pods as it may be.",
     "Create the claim or its template, or wait until it is ready."},
    {CODE(GpuFractionBinderMissing), kGang, kDoNot,
     "its pods ask for part of a GPU, and no program would prepare that on the node (serve "
     "--gpu-fraction-binder says that one is there)",
     "A pod of a live cluster asks for part of a GPU, and nothing says that a program prepares "
     "such parts on the nodes: the pod would start without a GPU.",
     "Run such a program and start `trellis serve` with `--gpu-fraction-binder`, or ask for whole "
     "GPUs."},
    {CODE(WorkloadStarts), kGang, kDoNot,
     "workload % was admitted in this cycle; its pods go in the next",
     "The pods belong to a Workload that was admitted in this cycle, and its ClusterQueue has more "
     "choices of flavors than are prepared for one cycle.",
     "Wait: they go in the next cycle, with what its flavors add to them."},
    {CODE(Moved), kWorkload, kDoNot, "",
     "The workload was evicted so that another gang or workload has room, and is promised another "
     "place, where it is admitted again; its owner allows that.",
     "Wait, or drop its annotation `trellis.scheduler/movable`."},
    {CODE(WaitingForMovedWorkloads), kWorkload, kDoNot, "",
     "Other workloads or gangs move for this one; its place is kept for it.",
     "Wait until their pods are gone."},
    {CODE(WaitingForPromisedPlace), kWorkload, kDoNot,
     "its place is promised: others have yet to leave it",
     "Quota and room are kept for the workload, and pods are still on their way out: its own, or "
     "others in its place.",
     "Wait until these pods are gone."},
    {CODE(MovedForRoom), kGang, kDoNot, "",
     "The gang moves to a promised place, so that the room which is left takes larger gangs or "
     "more "
     "pods (action `defragmentation`); its owner or its queue allows that.",
     "Wait, or annotate it with `trellis.scheduler/movable: \"false\"`."},
    {CODE(NotMovable), kVictim, kDoNot, "not movable",
     "Neither the gang nor its queue says that `defragmentation` may move it, or a pod of it "
     "waits, leaves or would not find its way back; of `consolidation`: it or a subgroup is below "
     "its minimum, or it has an error.",
     "Annotate the gang or its queue with `trellis.scheduler/movable: \"true\"`."},
    {CODE(VolumeInUse), kNode, kDoNot, "that cannot have a claim which another pod uses alone",
     "A claim of the pod has the access mode ReadWriteOncePod, and another pod with a node uses "
     "it.",
     "Wait until that pod is gone, or use another access mode."},
    {CODE(DiskInUse), kNode, kHelp, "where a pod has a disk of the pod",
     "The pod names a disk itself, without a claim, and a pod on the node uses the same one.",
     "Share the disk read-only, or let the pods run on different nodes."},
    {CODE(TooManyVolumes), kNode, kHelp, "with as many volumes as can be attached",
     "With the pod, more volumes of a driver would be attached to the node than its CSINode "
     "allows.",
     "Free the node, or use nodes or drivers with a higher limit."},
    {CODE(VolumeDriverMissing), kNode, kHelp, "without a driver of its volumes",
     "The CSIDriver of a volume requires that it is installed on the node, and the node's CSINode "
     "does not name it.",
     "Install the driver on the node."},
    {CODE(VolumeNodeMismatch), kNode, kDoNot, "not matching the node affinity of its volumes",
     "A volume that a claim of the pod is bound to can not be used on the node "
     "(`spec.nodeAffinity` of the PersistentVolume).",
     "Free the nodes where the volume can be used."},
    {CODE(NoVolumeForClaim), kNode, kHelp, "without a volume for its claims",
     "No free PersistentVolume that can be used on the node matches a claim of the pod, and the "
     "claim's StorageClass makes none there.",
     "Add a volume of the claim's class, size and access modes, or a class that makes volumes."},
    {CODE(NotEnoughStorage), kNode, kHelp, "without enough free storage",
     "The claims that wait for the pod request more than a pool of their StorageClass that the "
     "node can use has left (CSIStorageCapacity), beside what other pods were promised there.",
     "Free storage, or request less."},
    {CODE(VolumeZoneMismatch), kNode, kDoNot, "in another zone than its volumes",
     "The labels of a volume that a claim of the pod is bound to name zones or regions, and the "
     "node is in another one.",
     "Free nodes in the volume's zone."},
    {CODE(VolumeLost), kGang, kDoNot, "a volume claim of its pods has lost its volume",
     "The phase of a PersistentVolumeClaim that a pod names is Lost: its volume does not exist any "
     "more.",
     "Delete the claim and create it again."},
    {CODE(VolumeClaimLeaving), kGang, kDoNot, "a volume claim of its pods is being deleted",
     "A PersistentVolumeClaim that a pod names has a deletion timestamp.",
     "Create the claim again once it is gone."},
    {CODE(VolumeClaimOfOther), kGang, kDoNot,
     "a volume claim of its pods belongs to another object",
     "The claim of an ephemeral volume has the name that the pod's claim would have, and the pod "
     "does not own it.",
     "Delete the claim, or give the pod another name."},
    {CODE(VolumeClaimUnbound), kGang, kDoNot, "a volume claim of its pods is not bound",
     "A PersistentVolumeClaim that a pod names is bound to no volume, and its StorageClass does "
     "not wait for the first pod, so that it has to be bound before.",
     "Add a volume for the claim, or use a class with `WaitForFirstConsumer`."},
    {CODE(VolumeNotFound), kGang, kDoNot, "a volume of its pods does not exist",
     "A PersistentVolumeClaim that a pod names is bound to a PersistentVolume that is not in the "
     "input.",
     "Create the volume, or add it to the input."},
    {CODE(NoDevicesForClaim), kNode, kHelp, "without devices that its claims accept",
     "The ResourceSlices that the node reaches have no devices, or not enough, that a request of "
     "the pod's ResourceClaims accepts and tolerates, even if all of them were free.",
     "Add nodes with such devices, or change the selectors, tolerations or constraints."},
    {CODE(DevicesTaken), kNode, kHelp, "whose devices for its claims are taken",
     "Enough devices of the node suit the pod's ResourceClaims, but other claims have them, or so "
     "much of their counters and capacity that too little is left.",
     "Wait for pods with such devices to end, or add nodes."},
    {CODE(DeviceClaimFails), kNode, kDoNot, "where its claims cannot be allocated",
     "A request names a DeviceClass that does not exist, an expression of it fails for a device, "
     "or all devices are requested while a driver of the node changes its pool.",
     "Create the class, or guard what an expression may not find with `has()` or `.?`."},
    {CODE(DevicesOutOfReach), kNode, kDoNot, "that cannot reach the devices of its claims",
     "A ResourceClaim of the pod has devices that cannot be used from the node, or would have them "
     "because other pods share it; or other pods have the devices that several nodes reach.",
     "Free nodes from which the devices can be used."},
    {CODE(StartAppointed), kGang, kHelp, "",
     "The expected ends of running gangs give the gang a latest start and a place; gangs behind it "
     "start only where they do not delay it.",
     "Wait, or make room earlier."},
    {CODE(BehindAppointment), kGang, kHelp, "",
     "The gang would have a place now, but may run past the appointed start of another gang there.",
     "Wait, or state a shorter run time (`trellis.scheduler/expected-duration`)."},
    {CODE(NodesReserved), kGang, kHelp, "",
     "The gang would have a place now, on nodes that a Reservation keeps for others before the "
     "gang "
     "is expected to end.",
     "Wait, state a shorter run time (`trellis.scheduler/expected-duration`), or name the gang in "
     "the Reservation."},
    {CODE(GpusInSlices), kNode, kHelp, "that MIG divides into slices",
     "The pod asks for part of a GPU, and the GPUs of the node are divided by MIG (label "
     "`node-role.kubernetes.io/mig-enabled`): nothing prepares parts of slices.",
     "Ask for a slice, such as `nvidia.com/mig-1g.10gb`, or for part of a GPU on another node."},
    {CODE(SlicesByAnnotation), kGang, kDoNot, "its pods name MIG slices by annotation alone",
     "A pod has an annotation such as `nvidia.com/mig-1g.10gb`, and does not request the slice: it "
     "would start without a GPU.",
     "Request the slice as a resource of a container."},
});

#undef CODE

constexpr bool is_in_order() {
  for (size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].code != static_cast<ReasonCode>(i)) return false;
  }
  return true;
}
static_assert(is_in_order(), "one row for each ReasonCode, in the order of the enum");
static_assert(kEntries.size() == kReasonCodes, "one row for each ReasonCode");

}  // namespace

const ReasonEntry& reason_entry(ReasonCode code) { return kEntries[static_cast<size_t>(code)]; }

std::span<const ReasonEntry> all_reasons() { return std::span(kEntries).subspan(1); }

std::string_view to_string(ReasonCode code) { return reason_entry(code).name; }

bool more_nodes_help(ReasonCode code) { return reason_entry(code).more_nodes == MoreNodes::Help; }

}  // namespace trellis
