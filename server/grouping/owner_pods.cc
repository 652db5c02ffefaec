#include "server/grouping/owner_pods.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/ascii.h"
#include "server/document/json_text.h"
#include "server/grouping/owner_roles.h"
#include "server/grouping/ray_submitter.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decoders.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/private_members.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

constexpr std::string_view kJobSetLabel = "jobset.sigs.k8s.io/";
constexpr std::string_view kWorkerSetLabel = "leaderworkerset.sigs.k8s.io/";
constexpr std::string_view kTrainingLabel = "training.kubeflow.org/";
constexpr int64_t kMostMadeOwners = 10'000;

// How a controller makes its pods.
enum class PodMaking : uint8_t {
  Replicas,      // NAME-N, all alike
  Ordinals,      // NAME-N, each with its number
  WorkerGroups,  // groups of a leader and its workers
  ReplicaSpecs,  // NAME-ROLE-N
  ReplicatedJobs,
  NextJob,  // of a CronJob
  RayNodes,
  RayClusterOfJob,
  RayClusterOfService,
};

struct PodMakerKind {
  std::string_view group;
  std::string_view kind;
  PodMaking making;
  std::string_view owner_label = {};  // of its pods
};

constexpr PodMakerKind kPodMakers[] = {
    {"apps", "Deployment", PodMaking::Replicas},
    {"apps", "ReplicaSet", PodMaking::Replicas},
    {"", "ReplicationController", PodMaking::Replicas},
    {"apps", "StatefulSet", PodMaking::Ordinals},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", PodMaking::WorkerGroups, kOwnerNameLabels[1]},
    {"kubeflow.org", "PyTorchJob", PodMaking::ReplicaSpecs, kOwnerNameLabels[2]},
    {"kubeflow.org", "TFJob", PodMaking::ReplicaSpecs, kOwnerNameLabels[2]},
    {"kubeflow.org", "XGBoostJob", PodMaking::ReplicaSpecs, kOwnerNameLabels[2]},
    {"kubeflow.org", "PaddleJob", PodMaking::ReplicaSpecs, kOwnerNameLabels[2]},
    {"kubeflow.org", "JAXJob", PodMaking::ReplicaSpecs, kOwnerNameLabels[2]},
    {"kubeflow.org", "MPIJob", PodMaking::ReplicaSpecs, kOwnerNameLabels[2]},
    {"jobset.x-k8s.io", "JobSet", PodMaking::ReplicatedJobs},
    {"batch", "CronJob", PodMaking::NextJob},
    {"ray.io", "RayCluster", PodMaking::RayNodes, kOwnerNameLabels[3]},
    {"ray.io", "RayJob", PodMaking::RayClusterOfJob},
    {"ray.io", "RayService", PodMaking::RayClusterOfService},
};

const PodMakerKind* find_pod_maker_kind(std::string_view group, std::string_view kind) {
  auto found = std::ranges::find_if(
      kPodMakers, [&](const PodMakerKind& one) { return one.kind == kind && one.group == group; });
  return found == std::end(kPodMakers) ? nullptr : found;
}

class OwnerPodsReader {
 public:
  OwnerPodsReader(Value object, OwnerRecord& record, PodDecoder& pods, FieldReader& fields,
                  bool keep_raw)
      : object_(object),
        spec_(fields.object(object, "spec")),
        record_(record),
        pods_(pods),
        fields_(fields),
        keep_raw_(keep_raw),
        name_(fields.vocabulary().strings.view(record.meta.key.name)) {}

  void read(const PodMakerKind& maker, const OwnerKind& kind, std::string_view api_version) {
    made_.api_version = fields_.intern(api_version);
    made_.owner_label = fields_.intern_if(maker.owner_label);
    made_.at = fields_.report().place(spec_.exists() ? spec_ : object_);
    switch (maker.making) {
      case PodMaking::Replicas:
        add_replicas();
        break;
      case PodMaking::Ordinals:
        add_ordinals();
        break;
      case PodMaking::WorkerGroups:
        add_worker_groups();
        break;
      case PodMaking::ReplicaSpecs:
        add_replica_specs(kind);
        break;
      case PodMaking::ReplicatedJobs:
        add_replicated_jobs();
        break;
      case PodMaking::NextJob:
        add_next_job();
        break;
      case PodMaking::RayNodes:
        add_ray_nodes(spec_, of(spec_["headGroupSpec"]["template"]));
        break;
      case PodMaking::RayClusterOfJob:
        add_ray_cluster(spec_["rayClusterSpec"], object_["status"]["rayClusterName"],
                        read_ray_job_head(spec_, pods_, keep_raw_));
        add_submitter();
        break;
      case PodMaking::RayClusterOfService:
        add_ray_cluster(spec_["rayClusterConfig"],
                        object_["status"]["activeServiceStatus"]["rayClusterName"],
                        of(spec_["rayClusterConfig"]["headGroupSpec"]["template"]));
        break;
    }
    if (!made_.roles.empty()) record_.pods = std::make_shared<const OwnerPods>(std::move(made_));
  }

 private:
  int64_t number(Value parent, std::string_view key, int64_t otherwise) {
    return fields_.integer(parent, key, 0, INT32_MAX).value_or(otherwise);
  }
  Label label(std::string_view key, std::string_view value) {
    return {fields_.intern(key), fields_.intern(value)};
  }
  Label label(std::string_view prefix, std::string_view key, std::string_view value) {
    return label(std::string(prefix) + std::string(key), value);
  }

  // null: no template is there; the role then has no pods.
  std::shared_ptr<const PodTemplateRecord> of(Value pod_template) {
    if (!pod_template["spec"].is(ValueKind::Object)) return nullptr;
    return read_pod_template(pod_template, pods_, keep_raw_);
  }

  // "": none, which is reported where roles are read.
  static std::string name_in(Value parent, std::string_view key) {
    Value name = parent[key];
    return name.is(ValueKind::String) ? std::string(name.text()) : std::string();
  }

  static bool has_pods(Value job_template) {
    return job_template["spec"]["template"]["spec"].is(ValueKind::Object);
  }

  void add(MadePods made) {
    if (made.of && made.pods > 0) made_.roles.push_back(std::move(made));
  }

  void add_replicas() {
    add({.of = of(spec_["template"]), .pods = number(spec_, "replicas", 1), .name = name_ + "-"});
  }

  void add_ordinals() {
    int64_t start = number(spec_["ordinals"], "start", 0);
    add({.of = of(spec_["template"]),
         .pods = number(spec_, "replicas", 1),
         .name = name_ + "-",
         .first_name = start,
         .first_index = start,
         .index_labels = {fields_.intern("apps.kubernetes.io/pod-index")},
         .name_label = fields_.intern("statefulset.kubernetes.io/pod-name"),
         .index_base = 0});
  }

  // A leader that has to be ready first is made without its workers.
  void add_worker_groups() {
    Value both = spec_["leaderWorkerTemplate"];
    int64_t size = number(both, "size", 1);
    int64_t groups = std::min(number(spec_, "replicas", 1), kMostMadeOwners);
    bool leader_first = spec_["startupPolicy"].text() == "LeaderReady";
    auto worker = of(both["workerTemplate"]);
    auto leader = both["leaderTemplate"].absent() ? worker : of(both["leaderTemplate"]);
    made_.role_labels[0] = label(kWorkerSetLabel, "group-index", "").key;
    StrId index = fields_.intern(kWorkerIndex);
    for (int64_t group = 0; group < groups; ++group) {
      std::string number = std::to_string(group);
      Label in_group = label(kWorkerSetLabel, "group-index", number);
      MadePods made{.of = leader,
                    .pods = 1,
                    .name = name_ + "-" + number,
                    .numbered = false,
                    .labels = {label(kWorkerSetLabel, "name", name_), in_group},
                    .index_labels = {index},
                    .leads = true,
                    .index_base = group * size,
                    .role = in_group.value};
      add(made);
      if (leader_first) continue;
      made.of = worker;
      made.pods = size - 1;
      made.name += "-";
      made.numbered = true;
      made.leads = false;
      made.first_name = made.first_index = 1;
      add(std::move(made));
    }
  }

  void add_replica_specs(const OwnerKind& kind) {
    Value specs = fields_.object(spec_, kind.specs);
    bool works = spec_["runLauncherAsWorker"].boolean();
    bool waits = spec_["launcherCreationPolicy"].text() == "WaitForWorkersReady";
    made_.role_labels = {label(kTrainingLabel, "replica-type", "").key,
                         label(kTrainingLabel, "job-role", "").key};
    for (std::string_view role : kind.order) {
      Value spec = specs[role];
      if (role.empty() || spec.absent()) continue;
      bool launcher = role == "Launcher";
      if (launcher && waits) continue;
      std::string word = lower(role);
      MadePods made{.of = of(spec["template"]),
                    .pods = number(spec, "replicas", 1),
                    .name = name_ + "-" + word + (launcher ? "" : "-"),
                    .numbered = !launcher,
                    .first_index = role == "Worker" && works ? 1 : 0,
                    .labels = {label(kTrainingLabel, "job-name", name_),
                               label(kTrainingLabel, "replica-type", word)},
                    .index_labels = {label(kTrainingLabel, "replica-index", "").key},
                    .leads = launcher || role == "Master" || role == "Chief",
                    .index_base = 0,
                    .role = fields_.intern(word)};
      if (role != "Worker" || kind.kind == "MPIJob") {
        made.labels.push_back(label(kTrainingLabel, "job-role", word));
      }
      if (launcher) made.pods = std::min<int64_t>(made.pods, 1);
      add(std::move(made));
    }
  }

  // Jobs of roles that wait for others are not made yet.
  void add_replicated_jobs() {
    bool in_order = spec_["startupPolicy"]["startupPolicyOrder"].text() == "InOrder";
    bool first = true;
    int64_t number_of_all = 0;
    for (Value item : fields_.list(spec_, "replicatedJobs", kMostSubgroups).items()) {
      std::string role = name_in(item, "name");
      int64_t replicas = std::min(number(item, "replicas", 1), kMostMadeOwners);
      bool waits = (in_order && !first) || item["dependsOn"].size() > 0;
      first = false;
      if (role.empty() || waits || !has_pods(item["template"])) continue;
      std::shared_ptr<const JobRecord> job =
          decode_job(item["template"], pods_, fields_, keep_raw_);
      for (int64_t i = 0; i < replicas; ++i, ++number_of_all) {
        auto copy = std::make_shared<JobRecord>(*job);
        // The defaults of a JobSet's Jobs.
        if (item["template"]["spec"]["completionMode"].absent()) copy->indexed = true;
        if (!copy->completions) copy->completions = copy->parallelism;
        std::string index = std::to_string(i);
        for (Label one : {label(kJobSetLabel, "jobset-name", name_),
                          label(kJobSetLabel, "replicatedjob-name", role),
                          label(kJobSetLabel, "replicatedjob-replicas", std::to_string(replicas)),
                          label(kJobSetLabel, "job-index", index),
                          label(kJobSetLabel, "job-global-index", std::to_string(number_of_all)),
                          label(kJobSetLabel, "restart-attempt", "0")}) {
          set_made_label(copy->pod.object.pod.labels, one);
        }
        add_owner("batch", "Job", name_ + "-" + role + "-" + index, item["template"]["metadata"],
                  std::move(copy), nullptr);
      }
    }
  }

  void add_next_job() {
    if (spec_["suspend"].boolean() || object_["status"]["lastScheduleTime"].exists()) return;
    Value job_template = spec_["jobTemplate"];
    if (!has_pods(job_template)) return;
    record_.schedule = fields_.intern_if(fields_.string(spec_, "schedule"));
    if (!record_.schedule.valid()) return;
    add_owner("batch", "Job", name_, job_template["metadata"],
              decode_job(job_template, pods_, fields_, keep_raw_), nullptr);
  }

  void add_ray_nodes(Value cluster, std::shared_ptr<const PodTemplateRecord> head) {
    made_.role_labels[0] = fields_.intern("ray.io/group");
    auto labels = [&](std::string_view group, std::string_view type) {
      return std::vector<Label>{label("ray.io/cluster", name_), label("ray.io/group", group),
                                label("ray.io/is-ray-node", "yes"), label("ray.io/node-type", type),
                                label("ray.io/identifier", name_ + "-" + std::string(type))};
    };
    add({.of = std::move(head),
         .pods = 1,
         .name = name_ + "-head",
         .numbered = false,
         .labels = labels("headgroup", "head"),
         .leads = true,
         .role = fields_.intern("headgroup")});
    for (Value group : fields_.list(cluster, "workerGroupSpecs", kMostSubgroups).items()) {
      std::string name = name_in(group, "groupName");
      if (name.empty() || group["suspend"].boolean()) continue;
      add({.of = of(group["template"]),
           .pods = number(group, "replicas", 1) * number(group, "numOfHosts", 1),
           .name = name_ + "-" + name + "-worker-",
           .labels = labels(name, "worker"),
           .role = fields_.intern(name)});
    }
  }

  void add_ray_cluster(Value cluster, Value known_name,
                       std::shared_ptr<const PodTemplateRecord> head) {
    if (!cluster.is(ValueKind::Object) || spec_["clusterSelector"].size() > 0) return;
    std::string name(known_name.text());
    if (name.empty()) name = name_ + "-raycluster";
    OwnerRecord below;
    below.meta = record_.meta;
    below.meta.key.name = fields_.intern(name);
    OwnerPodsReader reader(object_, below, pods_, fields_, keep_raw_);
    reader.made_.api_version = made_.api_version.valid() ? made_.api_version : StrId();
    reader.made_.owner_label = fields_.intern(kOwnerNameLabels[3]);
    reader.made_.at = made_.at;
    reader.add_ray_nodes(cluster, std::move(head));
    if (reader.made_.roles.empty()) return;
    add_owner("ray.io", "RayCluster", name, cluster["metadata"], nullptr,
              std::make_shared<const OwnerPods>(std::move(reader.made_)));
    auto made = std::make_shared<OwnerRecord>(*record_.made.back());
    made->shape = read_ray_cluster_shape(cluster, fields_);
    record_.made.back() = std::move(made);
  }

  void add_submitter() {
    bool has_cluster =
        spec_["rayClusterSpec"].is(ValueKind::Object) || spec_["clusterSelector"].size() > 0;
    auto submitter = has_cluster ? read_ray_submitter(spec_, pods_, fields_, keep_raw_) : nullptr;
    if (submitter) add_owner("batch", "Job", name_, Value(), std::move(submitter), nullptr);
  }

  void add_owner(std::string_view group, std::string_view kind, const std::string& name,
                 Value metadata, std::shared_ptr<const JobRecord> job,
                 std::shared_ptr<const OwnerPods> pods) {
    auto owner = std::make_shared<OwnerRecord>();
    owner->meta = record_.meta;
    owner->meta.uid = SharedText();
    owner->meta.key.group = fields_.intern(group);
    owner->meta.key.kind = fields_.intern(kind);
    owner->meta.key.name = fields_.intern(name);
    owner->meta.owner = record_.meta.key;
    owner->keys = decode_gang_keys(metadata, fields_, false);
    if (job) owner->of_template = job->pod.keys;
    owner->job = std::move(job);
    owner->pods = std::move(pods);
    owner->used = true;
    record_.made.push_back(std::move(owner));
  }

  static void set_made_label(Labels& labels, Label label) {
    auto at = std::lower_bound(labels.begin(), labels.end(), label,
                               [](const Label& a, const Label& b) { return a.key < b.key; });
    if (at != labels.end() && at->key == label.key) {
      at->value = label.value;
    } else {
      labels.insert(at, label);
    }
  }

  Value object_;
  Value spec_;
  OwnerRecord& record_;
  PodDecoder& pods_;
  FieldReader& fields_;
  bool keep_raw_;
  std::string name_;
  OwnerPods made_;
};

bool is_held_back(Value object, const OwnerKind& kind) {
  switch (kind.suspend) {
    case SuspendAt::Nowhere:
      return false;
    case SuspendAt::Spec:
      return object["spec"]["suspend"].boolean();
    case SuspendAt::RunPolicy:
      return object["spec"]["runPolicy"]["suspend"].boolean();
  }
  return false;
}

}  // namespace

std::shared_ptr<const PodTemplateRecord> read_pod_template(Value pod_template, PodDecoder& pods,
                                                           bool keep_raw) {
  auto made = std::make_shared<PodTemplateRecord>();
  made->pod = pods.decode_template(pod_template);
  if (!keep_raw) return made;
  Value metadata = pod_template["metadata"];
  if (metadata["annotations"].size() > 0) {
    made->raw_annotations = json_text(metadata["annotations"]);
  }
  if (metadata["finalizers"].size() > 0) made->raw_finalizers = json_text(metadata["finalizers"]);
  Value spec = pod_template["spec"];
  made->raw_spec = json_text(spec, {}, private_members(spec));
  return made;
}

void read_owner_pods(Value object, std::string_view api_version, OwnerRecord& record,
                     PodDecoder& pods, FieldReader& fields, bool keep_raw) {
  const StringTable& strings = fields.vocabulary().strings;
  std::string_view group = strings.view(record.meta.key.group);
  std::string_view kind = strings.view(record.meta.key.kind);
  const PodMakerKind* maker = find_pod_maker_kind(group, kind);
  const OwnerKind* known = find_owner_kind(group, kind);
  if (maker == nullptr || known == nullptr) return;
  bool leaving = object["metadata"]["deletionTimestamp"].exists();
  if (record.end != OwnerEnd::None || leaving || is_held_back(object, *known)) return;
  OwnerPodsReader(object, record, pods, fields, keep_raw).read(*maker, *known, api_version);
}

}  // namespace trellis
