#include "server/manifest/owner_roles.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "framework/ascii.h"
#include "server/manifest/quantity.h"
#include "server/manifest/workload_keys.h"

namespace trellis {
namespace {

constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";
constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";
constexpr std::string_view kJobIndex = "jobset.sigs.k8s.io/job-index";
constexpr std::string_view kMinParallelism = "kueue.x-k8s.io/job-min-parallelism";

// A training operator's kind: where its roles stand, and in which order they count.
struct TrainingKind {
  std::string_view kind;
  std::string_view specs;
  std::array<std::string_view, 5> order;
};

constexpr std::array<TrainingKind, 6> kTrainingKinds = {{
    {"PyTorchJob", "pytorchReplicaSpecs", {"Master", "Worker", "", "", ""}},
    {"TFJob", "tfReplicaSpecs", {"Chief", "Master", "PS", "Worker", "Evaluator"}},
    {"XGBoostJob", "xgbReplicaSpecs", {"Master", "Worker", "", "", ""}},
    {"PaddleJob", "paddleReplicaSpecs", {"Master", "Worker", "", "", ""}},
    {"JAXJob", "jaxReplicaSpecs", {"Worker", "", "", "", ""}},
    {"MPIJob", "mpiReplicaSpecs", {"Launcher", "Worker", "", "", ""}},
}};

class RoleReader {
 public:
  RoleReader(Value object, FieldReader& fields)
      : fields_(fields), object_(object), spec_(fields.object(object, "spec")) {}

  OwnerRoles read(std::string_view kind, const JobRecord* job) {
    result_.finished = has_ended();
    if (kind == "Job" && job != nullptr) {
      read_job(*job);
    } else if (kind == "JobSet") {
      read_job_set();
    } else if (kind == "LeaderWorkerSet") {
      read_leader_worker_set();
    } else if (kind == "StatefulSet") {
      add({.name = "main",
           .pod_template = spec_["template"],
           .pods = number(spec_, "replicas", 1),
           .index_label = kPodIndex});
    } else if (kind == "RayCluster") {
      read_ray_cluster(spec_);
    } else if (kind == "RayJob") {
      read_ray_job();
    }
    for (const TrainingKind& training : kTrainingKinds) {
      if (training.kind == kind) read_training(training);
    }
    return std::move(result_);
  }

 private:
  int64_t number(Value parent, std::string_view key, int64_t otherwise) {
    return fields_.integer(parent, key, 0, INT32_MAX).value_or(otherwise);
  }

  void add(OwnerRole role) { result_.roles.push_back(std::move(role)); }

  bool has_ended() const {
    constexpr std::array<std::string_view, 4> kEnds = {"Complete", "Completed", "Succeeded",
                                                       "Failed"};
    Value status = object_["status"];
    for (Value condition : status["conditions"].items()) {
      bool ends = std::find(kEnds.begin(), kEnds.end(), condition["type"].text()) != kEnds.end();
      if (ends && condition["status"].text() == "True") return true;
    }
    std::string_view ray = status["jobDeploymentStatus"].text();
    return ray == "Complete" || ray == "Failed";
  }

  static int64_t pods_of(const JobRecord& job) {
    return std::min(job.parallelism, job.completions.value_or(job.parallelism));
  }

  void read_job(const JobRecord& job) {
    OwnerRole role{.name = "main", .pod_template = spec_["template"]};
    role.spec = job.pod.object.spec;
    role.labels = job.pod.object.pod.labels;
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
    for (Value item : fields_.list(spec_, "replicatedJobs").items()) {
      Value job = item["template"]["spec"];
      OwnerRole role{.name = std::string(item["name"].text()), .pod_template = job["template"]};
      int64_t pods = number(job, "parallelism", 1);
      pods = std::min(pods, number(job, "completions", pods));
      role.parts = number(item, "replicas", 1);
      role.pods = role.parts * pods;
      role.index_label = kCompletionIndex;
      role.part_label = kJobIndex;
      add(std::move(role));
    }
  }

  // A workload a group.
  void read_leader_worker_set() {
    result_.copies = number(spec_, "replicas", 1);
    result_.numbered = true;
    Value both = spec_["leaderWorkerTemplate"];
    int64_t size = number(both, "size", 1);
    Value leader = both["leaderTemplate"];
    if (!leader.absent()) {
      add({.name = "leader", .pod_template = leader, .index_label = kWorkerIndex});
      --size;
    }
    add({.name = leader.absent() ? "main" : "worker",
         .pod_template = both["workerTemplate"],
         .pods = size,
         .index_label = kWorkerIndex});
  }

  void read_training(const TrainingKind& training) {
    Value specs = fields_.object(spec_, training.specs);
    for (std::string_view name : training.order) {
      Value role = specs[name];
      if (name.empty() || role.absent()) continue;
      add({.name = lower(name),
           .pod_template = role["template"],
           .pods = number(role, "replicas", 1),
           .index_label = kReplicaIndex,
           .first_index = name == "Worker" && launcher_works() ? 1 : 0});
    }
  }

  // MPIJob: the launcher has the index 0.
  bool launcher_works() const {
    Value works = spec_["runLauncherAsWorker"];
    return works.is(ValueKind::Bool) && works.boolean();
  }

  void read_ray_cluster(Value cluster) {
    add({.name = "head", .pod_template = cluster["headGroupSpec"]["template"]});
    for (Value group : fields_.list(cluster, "workerGroupSpecs").items()) {
      add({.name = lower(group["groupName"].text()),
           .pod_template = group["template"],
           .pods = number(group, "replicas", 1) * number(group, "numOfHosts", 1)});
    }
  }

  // A RayJob on a cluster that is there already makes none.
  void read_ray_job() {
    if (spec_["clusterSelector"].size() > 0) return;
    read_ray_cluster(fields_.object(spec_, "rayClusterSpec"));
    std::string_view mode = spec_["submissionMode"].text();
    if (!mode.empty() && mode != "K8sJobMode") return;
    OwnerRole role{.name = "submitter", .pod_template = spec_["submitterPodTemplate"]};
    if (role.pod_template.absent()) role.spec = default_submitter();
    add(std::move(role));
  }

  // What KubeRay submits with when nothing is said.
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

OwnerRoles read_owner_roles(Value object, std::string_view kind, const JobRecord* job,
                            FieldReader& fields) {
  return RoleReader(object, fields).read(kind, job);
}

}  // namespace trellis
