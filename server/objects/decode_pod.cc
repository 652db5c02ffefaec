#include "server/objects/decode_pod.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/quantity.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decode_pod_demand.h"
#include "server/objects/decode_pod_terms.h"
#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/migrated_volumes.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/pod_resources.h"
#include "server/objects/run_time.h"
#include "server/objects/workload_name.h"

namespace trellis {
namespace {

// The keys of Kubernetes' PodSpec, sorted.
constexpr std::string_view kPodSpecKeys[] = {"activeDeadlineSeconds",
                                             "affinity",
                                             "automountServiceAccountToken",
                                             "containers",
                                             "dnsConfig",
                                             "dnsPolicy",
                                             "enableServiceLinks",
                                             "ephemeralContainers",
                                             "hostAliases",
                                             "hostIPC",
                                             "hostNetwork",
                                             "hostPID",
                                             "hostUsers",
                                             "hostname",
                                             "hostnameOverride",
                                             "imagePullSecrets",
                                             "initContainers",
                                             "nodeName",
                                             "nodeSelector",
                                             "os",
                                             "overhead",
                                             "preemptionPolicy",
                                             "priority",
                                             "priorityClassName",
                                             "readinessGates",
                                             "resourceClaims",
                                             "resources",
                                             "restartPolicy",
                                             "runtimeClassName",
                                             "schedulerName",
                                             "schedulingGates",
                                             "schedulingGroup",
                                             "securityContext",
                                             "serviceAccount",
                                             "serviceAccountName",
                                             "setHostnameAsFQDN",
                                             "shareProcessNamespace",
                                             "subdomain",
                                             "terminationGracePeriodSeconds",
                                             "tolerations",
                                             "topologySpreadConstraints",
                                             "volumes",
                                             "workloadRef"};

constexpr std::string_view kGpuGroup = "runai-gpu-group";

constexpr std::array<std::string_view, 2> kWorkloadGates = {"kueue.x-k8s.io/admission",
                                                            "kueue.x-k8s.io/topology"};
constexpr std::array<std::string_view, 5> kPhases = {"Pending", "Running", "Succeeded", "Failed",
                                                     "Unknown"};
constexpr std::array<std::string_view, 3> kProtocols = {"TCP", "UDP", "SCTP"};

// The labels of a gang's leader, the pod that the others contact: its master, head, launcher or
// driver.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kLeaders = {{
    {"training.kubeflow.org/job-role", "master"},
    {"training.kubeflow.org/replica-type", "master"},
    {"training.kubeflow.org/replica-type", "launcher"},
    {"training.kubeflow.org/replica-type", "chief"},
    {"job-role", "master"},
    {"mpi-job-role", "launcher"},
    {"ray.io/node-type", "head"},
    {"leaderworkerset.sigs.k8s.io/worker-index", "0"},
    {"spark-role", "driver"},
}};

bool is_int32(std::optional<int64_t> value) {
  return value && *value >= INT32_MIN && *value <= INT32_MAX;
}

// The number that a pod's controller gave the pod; -1: it has none.
int32_t decode_index(Value metadata) {
  auto number = [&](std::string_view key) {
    std::optional<int64_t> read = to_integer(annotation_or_label(metadata, key).text());
    return is_int32(read) && *read >= 0 ? read : std::nullopt;
  };
  if (auto index = number("batch.kubernetes.io/job-completion-index")) {
    return static_cast<int32_t>(*index);
  }
  // In a LeaderWorkerSet: group after group, the leader first in each.
  if (auto worker = number("leaderworkerset.sigs.k8s.io/worker-index")) {
    int64_t group = number("leaderworkerset.sigs.k8s.io/group-index").value_or(0);
    int64_t size = number("leaderworkerset.sigs.k8s.io/size").value_or(0);
    int64_t index = group * size + *worker;
    return index <= INT32_MAX ? static_cast<int32_t>(index) : -1;
  }
  for (std::string_view key :
       {"training.kubeflow.org/replica-index", "apps.kubernetes.io/pod-index"}) {
    if (auto index = number(key)) return static_cast<int32_t>(*index);
  }
  return -1;
}

bool names_mig_slices(Value annotations) {
  for (Value::Member member : annotations.members()) {
    if (member.key.starts_with("nvidia.com/mig-")) return true;
  }
  return false;
}

bool restarts_all_containers(Value spec) {
  for (std::string_view list : {"containers", "initContainers"}) {
    for (Value container : spec[list].items()) {
      for (Value rule : container["restartPolicyRules"].items()) {
        if (rule["action"].text() == "RestartAllContainers") return true;
      }
    }
  }
  return false;
}

}  // namespace

PodRecord PodDecoder::decode(NamedObject named) {
  Value object = named.object;
  Value spec = fields_.object(object, "spec");
  if (spec.absent() && object["spec"].absent()) {
    fields_.missing(object, "spec", "the pod's containers");
  }
  PodRecord record = decode_common(fields_.object(object, "metadata"), spec, object["status"]);
  record.meta = std::move(named.meta);
  Value metadata = object["metadata"];
  record.meta.owner = decode_owner(metadata, record.meta.key.name_space, fields_);
  refer(fields_, KeyKind::Service, metadata["labels"][kServiceLabel].text());
  refer_to_makers(record);
  Pod& pod = record.object.pod;
  pod.name_space = record.meta.key.name_space;
  pod.name = named.name;
  pod.uid = std::move(record.meta.uid);
  pod.created = record.meta.created;
  if (const ObjectKey& owner = record.meta.owner; owner.valid()) {
    bool daemon = fields_.vocabulary().strings.view(owner.kind) == "DaemonSet";
    pod.daemon_set = daemon ? owner.name : StringTable::kEmpty;
  }
  pod.node = specs_.share(fields_.string(spec, "nodeName"));
  refer(fields_, KeyKind::Node, pod.node);
  // It holds the slices of its node (server/manifest/link_mig_annotations.h).
  bool reads_node = record.mig_annotation && fields_.dependencies() != nullptr;
  if (reads_node) fields_.dependencies()->read_node(pod.node);
  decode_status(object, record);
  record.workload = decode_pod_workload_keys(object, fields_);
  refer_to_workload(record);
  return record;
}

// An owner counts pods as its own also where the objects between them are missing.
void PodDecoder::refer_to_makers(const PodRecord& record) {
  if (fields_.dependencies() == nullptr) return;
  const StringTable& strings = fields_.vocabulary().strings;
  std::string_view owner =
      record.meta.owner.valid() ? strings.view(record.meta.owner.name) : std::string_view();
  for (Label label : record.object.pod.labels) {
    std::string_view key = strings.view(label.key);
    std::string_view value = strings.view(label.value);
    bool names_owner = std::ranges::find(kOwnerNameLabels, key) != std::end(kOwnerNameLabels);
    if (names_owner) refer(fields_, KeyKind::Name, value);
    std::string_view deployment = key == kTemplateHash ? deployment_name(owner, value) : "";
    if (!deployment.empty()) refer(fields_, KeyKind::Name, deployment);
  }
}

// A pod makes the workload of this name unless there is one.
void PodDecoder::refer_to_workload(const PodRecord& record) {
  if (fields_.dependencies() == nullptr || !record.workload) return;
  if (!record.workload->queue.valid() || record.workload->group.valid()) return;
  const Pod& pod = record.object.pod;
  refer(fields_, KeyKind::Name, workload_name({"", "Pod", pod.name, pod.uid}));
}

PodRecord PodDecoder::decode_template(Value pod_template) {
  Value metadata = fields_.object(pod_template, "metadata");
  Value spec = fields_.object(pod_template, "spec");
  if (spec.absent() && pod_template["spec"].absent()) {
    fields_.missing(pod_template, "spec", "the pod's containers");
  }
  PodRecord record = decode_common(metadata, spec, {});
  record.workload = decode_workload_keys(metadata, fields_);
  return record;
}

PodRecord PodDecoder::decode_common(Value metadata, Value spec, Value status) {
  PodRecord record;
  Pod& pod = record.object.pod;
  PodSpec wanted;

  check_annotations(metadata, fields_);
  pod.labels = fields_.labels(metadata, "labels");
  record.keys = decode_gang_keys(metadata, fields_, true);
  record.core_group = decode_core_group(metadata, spec, fields_);
  pod.finalizer = fields_.list(metadata, "finalizers").size() > 0;
  Value subgroup = annotation_or_label(metadata, "kai.scheduler/subgroup-name");
  pod.subgroup = fields_.intern_if(subgroup.text());
  if (pod.subgroup.valid()) {
    record.subgroup_at = SharedValue<Place>(fields_.report().place(subgroup));
  }
  Value order = annotation_or_label(metadata, "kai.scheduler/task-priority");
  if (!order.absent()) {
    std::optional<int64_t> number = to_integer(order.text());
    if (is_int32(number)) {
      pod.order_priority = static_cast<int32_t>(*number);
    } else {
      fields_.error(order, describe(order), "a whole number, as a string");
    }
  }
  pod.completion_index = decode_index(metadata);
  decode_labels(record);

  fields_.slips(spec, kPodSpecKeys);
  pod.scheduler = fields_.intern_if(fields_.string(spec, "schedulerName"));
  pod.hold = decode_gates(spec);
  PodClaims claims{decode_volume_claims(metadata, spec, wanted),
                   decode_resource_claim_uses(spec, status, fields_)};
  if (!claims.volumes.empty() || !claims.devices.empty()) {
    record.claims = SharedValue(std::move(claims));
  }
  if (std::optional<int64_t> priority = fields_.integer(spec, "priority", INT32_MIN, INT32_MAX)) {
    record.priority = static_cast<int32_t>(*priority);
  }
  record.priority_class = fields_.intern_if(fields_.string(spec, "priorityClassName"));
  record.moves_others = decode_moves_others(spec, fields_);
  record.deadline_us = decode_deadline(spec, fields_);

  decode_demands(spec, status, wanted);
  if (reserves_shared_gpu(app_of(pod.labels))) wanted.requests.set(kGpu, 0);
  pod.containers = specs_.share(decode_pod_containers(metadata, spec, fields_));
  wanted.gpu_share = decode_gpu_share(metadata, wanted.requests, fields_);
  record.mig_annotation = names_mig_slices(metadata["annotations"]);
  wanted.node_selector = fields_.labels(spec, "nodeSelector");
  decode_node_affinity(spec, wanted, fields_);
  decode_pod_terms(spec, wanted, fields_);
  wanted.tolerations = decode_tolerations(spec, fields_);
  decode_host_use(spec, wanted);
  record.object.spec = specs_.share(std::move(wanted));
  return record;
}

std::string_view PodDecoder::app_of(const Labels& labels) const {
  const StringTable& strings = fields_.vocabulary().strings;
  StrId app = find_label(labels, strings.find("app"));
  return app.valid() ? strings.view(app) : std::string_view();
}

void PodDecoder::decode_demands(Value spec, Value status, PodSpec& pod) {
  PodRequests requests = decode_pod_requests(spec, status, fields_);
  PodDemands demands = decode_pod_demand(spec, status, fields_);
  pod.requests = std::move(requests.held);
  pod.demand = SharedValue(std::move(demands.held));
  if (!requests.wanted && !demands.wanted) return;
  ReplacementDemand replacement{pod.requests, pod.demand};
  if (requests.wanted) replacement.requests = std::move(*requests.wanted);
  if (demands.wanted) replacement.demand = SharedValue(std::move(*demands.wanted));
  pod.replacement = SharedValue(std::move(replacement));
}

// Workload: all gates are opened by a workload's admission alone.
PodHold PodDecoder::decode_gates(Value spec) {
  Value gates = fields_.list(spec, "schedulingGates");
  if (gates.size() == 0) return PodHold::None;
  for (Value gate : gates.items()) {
    std::string_view name = gate["name"].text();
    bool of_workload =
        std::find(kWorkloadGates.begin(), kWorkloadGates.end(), name) != kWorkloadGates.end();
    if (!of_workload) return PodHold::SchedulingGates;
  }
  return PodHold::Workload;
}

// The disks that the pod names itself become part of its demands.
std::vector<VolumeClaimUse> PodDecoder::decode_volume_claims(Value metadata, Value spec,
                                                             PodSpec& pod) {
  std::vector<VolumeClaimUse> claims;
  for (Value volume : fields_.list(spec, "volumes").items()) {
    fields_.string(fields_.object(volume, "persistentVolumeClaim"), "claimName");
    Value ephemeral = volume["ephemeral"];
    bool is_made = ephemeral.is(ValueKind::Object);
    std::string_view pod_name = metadata["name"].text();
    StrId claim = reference(fields_, KeyKind::Claim, volume_claim(volume, pod_name));
    // Two volumes may be of one claim, which is bound once.
    bool known = std::ranges::find(claims, claim, &VolumeClaimUse::claim) != claims.end();
    if (claim.valid() && !known) claims.push_back({.claim = claim, .made = is_made});
    if (is_made && pod_name.empty()) {
      Value claim_template = fields_.object(ephemeral, "volumeClaimTemplate");
      claims.push_back({.claim = fields_.intern("-" + std::string(volume["name"].text())),
                        .made = true,
                        .need = SharedValue(decode_claim_need(claim_template, fields_))});
    }
    if (std::optional<InlineDisk> disk = decode_inline_disk(volume, fields_)) {
      pod.volumes.edit().disks.push_back(*std::move(disk));
    }
    if (std::optional<VolumeHandle> handle = decode_migrated_volume(volume, fields_)) {
      pod.volumes.edit().attached.push_back(*handle);
    }
  }
  return claims;
}

void PodDecoder::decode_labels(PodRecord& record) {
  Pod& pod = record.object.pod;
  std::vector<std::string_view> groups;
  for (Label label : pod.labels) {
    std::string_view key = fields_.vocabulary().strings.view(label.key);
    std::string_view value = fields_.vocabulary().strings.view(label.value);
    auto leads = [&](const auto& role) { return role.first == key && role.second == value; };
    pod.leader = pod.leader || std::any_of(kLeaders.begin(), kLeaders.end(), leads);
    if (key == kGpuGroup && !value.empty()) {
      groups.push_back(value);
    } else if (key.starts_with(kGpuGroup) && key.substr(kGpuGroup.size()).starts_with('/')) {
      groups.push_back(key.substr(kGpuGroup.size() + 1));
    }
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (std::string_view group : groups) pod.gpu_groups.push_back(fields_.intern(group));
}

void PodDecoder::decode_status(Value object, PodRecord& record) {
  Pod& pod = record.object.pod;
  Value status = fields_.object(object, "status");
  std::string_view phase = fields_.word(status, "phase", kPhases);
  pod.refused_by_zones = refused_by_zones(status);
  pod.started = fields_.time(status, "startTime");
  TimeUs leaving_since = fields_.time(object["metadata"], "deletionTimestamp");
  for (Value condition : fields_.list(status, "conditions").items()) {
    TimeUs since = fields_.time(condition, "lastTransitionTime");
    if (condition["type"].text() != "Ready") continue;
    record.has_ready_condition = true;
    if (condition["status"].text() != "True") continue;
    record.ready = true;
    record.ready_since = since;
  }
  if (phase == "Succeeded") {
    pod.status = PodStatus::Succeeded;
  } else if (phase == "Failed") {
    pod.status = PodStatus::Failed;
    for (Value container : fields_.list(status, "containerStatuses").items()) {
      TimeUs ended = fields_.time(container["state"]["terminated"], "finishedAt");
      if (!pod.node.empty()) pod.finished = std::max(pod.finished, ended);
    }
  } else if (leaving_since != kNoTime) {
    pod.status = PodStatus::Releasing;
    pod.leaving_since = leaving_since;
  } else if (!pod.node.empty()) {
    bool runs = phase == "Running" || phase == "Unknown";
    pod.status = runs ? PodStatus::Running : PodStatus::Bound;
  } else if (phase != "Running") {
    pod.promised = specs_.share(fields_.string(status, "nominatedNodeName"));
  } else {
    fields_.error(status["phase"], "a running pod without spec.nodeName", "the node it runs on");
  }
}

// Host ports, and what the pod's node must be able to do.
void PodDecoder::decode_host_use(Value spec, PodSpec& pod) {
  bool host_network = fields_.boolean(spec, "hostNetwork");
  bool host_users = fields_.boolean(spec, "hostUsers", true);
  if (host_network && !host_users) pod.features.add(NodeFeature::UserNamespacesHostNetwork);
  if (restarts_all_containers(spec)) pod.features.add(NodeFeature::RestartAllContainers);
  auto read = [&](Value container) {
    for (Value port : fields_.list(container, "ports").items()) {
      // With hostNetwork a container's port is a port of the host.
      std::string_view key =
          host_network && port["hostPort"].absent() ? "containerPort" : "hostPort";
      std::optional<int64_t> number = fields_.integer(port, key, 0, 65'535);
      if (!number || *number == 0) continue;
      std::string_view protocol = fields_.word(port, "protocol", kProtocols);
      std::string_view address = fields_.string(port, "hostIP");
      pod.host_ports.push_back({fields_.intern(protocol.empty() ? "TCP" : protocol),
                                fields_.intern(address.empty() ? "0.0.0.0" : address),
                                static_cast<int32_t>(*number)});
    }
  };
  for (Value container : fields_.list(spec, "containers").items()) read(container);
  for (Value container : fields_.list(spec, "initContainers").items()) {
    if (container["restartPolicy"].text() == "Always") read(container);
  }
  std::sort(pod.host_ports.begin(), pod.host_ports.end());
  pod.host_ports.erase(std::unique(pod.host_ports.begin(), pod.host_ports.end()),
                       pod.host_ports.end());
}

}  // namespace trellis
