#include "server/grouping/owner_roles.h"

#include <algorithm>
#include <span>
#include <utility>

#include "framework/ascii.h"
#include "server/document/quantity.h"
#include "server/objects/owner_end.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";
constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";
constexpr std::string_view kJobIndex = "jobset.sigs.k8s.io/job-index";
constexpr std::string_view kMinParallelism = "kueue.x-k8s.io/job-min-parallelism";

class RoleReader {
 public:
  RoleReader(Value object, FieldReader& fields)
      : fields_(fields), object_(object), spec_(fields.object(object, "spec")) {}

  OwnerRoles read_ray_cluster_roles(Value spec) {
    read_ray_cluster(spec);
    return std::move(result_);
  }

  OwnerRoles read(const OwnerKind& kind, const JobRecord* job) {
    result_.finished = owner_end(object_) != OwnerEnd::None;
    switch (kind.roles) {
      case RolesAt::Nowhere:
      case RolesAt::Runtime:
        break;
      case RolesAt::Job:
        if (job != nullptr) read_job(*job);
        break;
      case RolesAt::ReplicatedJobs:
        read_job_set();
        break;
      case RolesAt::LeaderWorkers:
        read_leader_worker_set();
        break;
      case RolesAt::Template:
        add({.name = "main",
             .pod_template = spec_["template"],
             .pods = number(spec_, "replicas", 1),
             .index_label = kPodIndex});
        break;
      case RolesAt::ReplicaSpecs:
        read_replica_specs(kind);
        break;
      case RolesAt::RayCluster:
        read_ray_cluster(spec_);
        break;
      case RolesAt::RayJob:
        read_ray_job();
        break;
    }
    return std::move(result_);
  }

 private:
  int64_t number(Value parent, std::string_view key, int64_t otherwise) {
    return fields_.integer(parent, key, 0, INT32_MAX).value_or(otherwise);
  }

  std::string text(StrId name) const {
    return std::string(fields_.vocabulary().strings.view(name));
  }

  void add(OwnerRole role) {
    constexpr int64_t kMostPods = int64_t{1} << 40;  // sums of roles stay far from overflow
    role.pods = std::min(role.pods, kMostPods);
    role.least = std::min(role.least, kMostPods);
    result_.roles.push_back(std::move(role));
  }

  static int64_t pods_of(const JobRecord& job) {
    return std::min(job.parallelism, job.completions.value_or(job.parallelism));
  }

  void read_job(const JobRecord& job) {
    OwnerRole role{.name = "main", .pod_template = spec_["template"]};
    role.spec = *job.pod.object.spec;
    role.labels = job.pod.object.pod.labels;
    role.claims = job.pod.claims;
    role.priority_class = job.pod.priority_class;
    role.pods = pods_of(job);
    role.index_label = kCompletionIndex;
    role.min_pods = min_parallelism(role.pods);
    add(std::move(role));
  }

  std::optional<int32_t> min_parallelism(int64_t pods) {
    Value value = object_["metadata"]["annotations"][kMinParallelism];
    if (value.absent()) return std::nullopt;
    int64_t read = to_integer(value.text()).value_or(0);
    if (read >= 1 && read <= pods) return static_cast<int32_t>(read);
    fields_.error(value, describe(value), "a whole number from 1 to the parallelism, as a string");
    return std::nullopt;
  }

  void read_job_set() {
    bool in_order = spec_["startupPolicy"]["startupPolicyOrder"].text() == "InOrder";
    for (Value item : fields_.list(spec_, "replicatedJobs", kMostSubgroups).items()) {
      std::optional<StrId> name = fields_.name(item, "name", "the name of a replicated Job");
      if (!name) continue;
      Value job = item["template"]["spec"];
      OwnerRole role{.name = text(*name), .pod_template = job["template"]};
      role.subgroup = role.name;
      role.late = (in_order && !result_.roles.empty()) || item["dependsOn"].size() > 0;
      int64_t pods = number(job, "parallelism", 1);
      pods = std::min(pods, number(job, "completions", pods));
      role.parts = number(item, "replicas", 1);
      role.pods = role.least = role.parts * pods;
      role.index_label = kCompletionIndex;
      role.part_label = kJobIndex;
      add(std::move(role));
    }
  }

  // Each group is a workload, or a gang.
  void read_leader_worker_set() {
    result_.leader_first = spec_["startupPolicy"].text() == "LeaderReady";
    result_.copies = number(spec_, "replicas", 1);
    result_.numbered = true;
    Value both = spec_["leaderWorkerTemplate"];
    int64_t size = number(both, "size", 1);
    Value leader = both["leaderTemplate"];
    if (!leader.absent()) {
      add({.name = "leader",
           .subgroup = "leader",
           .pod_template = leader,
           .index_label = kWorkerIndex,
           .least = 1});
      --size;
    }
    add({.name = leader.absent() ? "main" : "worker",
         .subgroup = "workers",
         .pod_template = both["workerTemplate"],
         .pods = size,
         .index_label = kWorkerIndex,
         .least = size});
  }

  void read_replica_specs(const OwnerKind& kind) {
    Value specs = fields_.object(spec_, kind.specs);
    bool waits = spec_["launcherCreationPolicy"].text() == "WaitForWorkersReady";
    for (std::string_view name : kind.order) {
      Value role = specs[name];
      if (name.empty() || role.absent()) continue;
      int64_t pods = number(role, "replicas", 1);
      add({.name = lower(name),
           .subgroup = std::string(name),
           .pod_template = role["template"],
           .pods = pods,
           .index_label = kReplicaIndex,
           .first_index = name == "Worker" && launcher_works() ? 1 : 0,
           .least = pods,
           .late = waits && name == "Launcher"});
    }
    Value policy = fields_.object(fields_.object(spec_, "runPolicy"), "schedulingPolicy");
    result_.min_available = fields_.integer(policy, "minAvailable", 1, INT32_MAX);
    if (result_.min_available) return;
    Value elastic = fields_.object(spec_, "elasticPolicy");
    result_.min_available = fields_.integer(elastic, "minReplicas", 1, INT32_MAX);
  }

  // MPIJob: a launcher that works as a worker has the index 0.
  bool launcher_works() const {
    Value works = spec_["runLauncherAsWorker"];
    return works.is(ValueKind::Bool) && works.boolean();
  }

  void read_ray_cluster(Value cluster) {
    add({.name = "head",
         .subgroup = "headgroup",
         .pod_template = cluster["headGroupSpec"]["template"],
         .least = 1});
    for (Value group : fields_.list(cluster, "workerGroupSpecs", kMostSubgroups).items()) {
      std::optional<StrId> word = fields_.name(group, "groupName", "the name of a worker group");
      if (!word) continue;
      std::string name = text(*word);
      int64_t hosts = number(group, "numOfHosts", 1);
      int64_t replicas = number(group, "replicas", 1);
      int64_t least = number(group, "minReplicas", 0);
      if (least == 0) least = replicas;
      if (fields_.boolean(group, "suspend")) least = 0;
      add({.name = lower(name),
           .subgroup = name,
           .pod_template = group["template"],
           .pods = replicas * hosts,
           .least = least * hosts});
    }
  }

  // A RayJob on an existing cluster makes no workload.
  void read_ray_job() {
    if (spec_["clusterSelector"].size() > 0) return;
    read_ray_cluster(fields_.object(spec_, "rayClusterSpec"));
    std::string_view mode = spec_["submissionMode"].text();
    if (!mode.empty() && mode != "K8sJobMode") return;
    OwnerRole role{.name = "submitter", .pod_template = spec_["submitterPodTemplate"]};
    if (role.pod_template.absent()) role.spec = default_submitter();
    add(std::move(role));
  }

  // The submitter that KubeRay makes when none is specified.
  static PodSpec default_submitter() {
    constexpr int64_t kHalfCpu = 500;
    constexpr int64_t kBytes = 200LL << 20;
    PodSpec spec;
    spec.requests.set(kCpu, kHalfCpu);
    spec.requests.set(kMemory, kBytes);
    spec.requests.set(kPods, 1);
    return spec;
  }

  FieldReader& fields_;
  Value object_;
  Value spec_;
  OwnerRoles result_;
};

}  // namespace

OwnerRoles read_owner_roles(Value object, const OwnerKind& kind, const JobRecord* job,
                            FieldReader& fields) {
  return RoleReader(object, fields).read(kind, job);
}

namespace {

std::shared_ptr<const OwnerShape> shape_of(const OwnerRoles& roles, FieldReader& fields) {
  auto shape = std::make_shared<OwnerShape>();
  for (const OwnerRole& role : roles.roles) {
    shape->roles.push_back({.subgroup = fields.intern_if(role.subgroup),
                            .label = lower(role.subgroup),
                            .pods = role.pods,
                            .parts = role.parts,
                            .least = role.least,
                            .late = role.late});
  }
  shape->min_available = roles.min_available;
  shape->leader_first = roles.leader_first;
  return shape;
}

}  // namespace

std::shared_ptr<const OwnerShape> read_owner_shape(Value object, const OwnerKind& kind,
                                                   FieldReader& fields) {
  if (kind.least != LeastPods::OfRoles) return nullptr;
  return shape_of(read_owner_roles(object, kind, nullptr, fields), fields);
}

std::shared_ptr<const OwnerShape> read_ray_cluster_shape(Value spec, FieldReader& fields) {
  return shape_of(RoleReader(spec, fields).read_ray_cluster_roles(spec), fields);
}

}  // namespace trellis
