#include "server/objects/made_job_set.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {
namespace {

constexpr std::string_view kTrainJob = "TrainJob";
constexpr const char* kStepLabel = "trainer.kubeflow.org/trainjob-ancestor-step";
constexpr std::string_view kTrainer = "trainer";
constexpr std::string_view kNode = "node";  // of a Job and of a container

// Lists whose items a patch finds by name; it replaces other lists.
constexpr std::string_view kNamedLists[] = {"replicatedJobs", "containers", "initContainers",
                                            "volumes"};

// Null: there is no such value.
const Json* at_path(const Json& value, std::initializer_list<const char*> path) {
  const Json* at = &value;
  for (const char* key : path) {
    auto found = at->is_object() ? at->find(key) : at->end();
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

Json copy_at(const Json& value, std::initializer_list<const char*> path, Json otherwise) {
  const Json* found = at_path(value, path);
  if (found != nullptr && !found->is_null()) return *found;
  return otherwise;
}

std::optional<int64_t> number_at(const Json& value, std::initializer_list<const char*> path) {
  const Json* found = at_path(value, path);
  // Other values were reported where the object was read.
  if (found == nullptr || !found->is_number_integer() || *found < 0) return std::nullopt;
  return found->get<int64_t>();
}

// The merge that Kubernetes calls strategic: objects member by member, named lists item by item.
class Merge {
 public:
  static void apply(Json& base, const Json& patch) {
    Merge merge;
    merge.open_.push_back({&base, &patch});
    while (!merge.open_.empty()) {
      auto [to, from] = merge.open_.back();
      merge.open_.pop_back();
      merge.step(*to, *from);
    }
  }

 private:
  struct Pair {
    Json* base;
    const Json* patch;
  };

  void step(Json& base, const Json& patch) {
    if (!base.is_object() || !patch.is_object()) {
      base = patch;
      return;
    }
    // New members first: they move the others.
    for (const auto& [key, value] : patch.items()) {
      if (value.is_null()) {
        base.erase(key);
      } else if (!base.contains(key)) {
        base[key] = value;
      }
    }
    for (const auto& [key, value] : patch.items()) {
      auto found = base.find(key);
      if (found == base.end()) continue;
      bool named = std::ranges::find(kNamedLists, key) != std::end(kNamedLists);
      if (named && found->is_array() && value.is_array()) {
        merge_items(*found, value);
      } else {
        open_.push_back({&*found, &value});
      }
    }
  }

  void merge_items(Json& base, const Json& patch) {
    auto item_of = [&](const Json& one) {
      return std::ranges::find_if(base, [&](const Json& item) {
        return item.is_object() && one.is_object() && text_at(item, "name") == text_at(one, "name");
      });
    };
    for (const Json& one : patch) {
      if (item_of(one) == base.end()) base.push_back(one);
    }
    for (const Json& one : patch) open_.push_back({&*item_of(one), &one});
  }

  std::vector<Pair> open_;
};

// Makes one JobSet. Both objects are as in the input, and may lack anything.
class JobSetMaker {
 public:
  JobSetMaker(const Json& train_job, const Json& runtime)
      : train_job_(train_job),
        runtime_(runtime),
        template_(copy_at(runtime, {"spec", "template"}, Json::object())),
        job_set_(Json::object()) {}

  Json make() {
    patch_template();
    object_at(template_, "spec");
    Json& jobs = template_["spec"]["replicatedJobs"];
    if (jobs.is_array()) {
      for (Json& job : jobs) {
        if (job.is_object()) settle(job);
      }
    }
    job_set_["apiVersion"] = "jobset.x-k8s.io/v1alpha2";
    job_set_["kind"] = "JobSet";
    add_metadata();
    job_set_["spec"] = std::move(template_["spec"]);
    return std::move(job_set_);
  }

 private:
  // `runtimePatches` is the later form of `podTemplateOverrides`.
  void patch_template() {
    for (const Json& patch : copy_at(train_job_, {"spec", "runtimePatches"}, Json::array())) {
      if (const Json* part = at_path(patch, {"trainingRuntimeSpec", "template"})) {
        Merge::apply(template_, *part);
      }
    }
    for (const Json& patch : copy_at(train_job_, {"spec", "podTemplateOverrides"}, Json::array())) {
      Json pod = Json::object();
      for (const char* part : {"metadata", "spec"}) {
        if (const Json* found = at_path(patch, {part})) pod[part] = *found;
      }
      Json jobs = Json::array();
      for (const Json& job : copy_at(patch, {"targetJobs"}, Json::array())) {
        if (job.is_object()) jobs.push_back(one_job(text_at(job, "name"), pod));
      }
      Merge::apply(template_, {{"spec", {{"replicatedJobs", std::move(jobs)}}}});
    }
    if (!template_.is_object()) template_ = Json::object();
  }

  static Json one_job(const std::string& name, const Json& pod) {
    return {{"name", name}, {"template", {{"spec", {{"template", pod}}}}}};
  }

  // The number of pods, and what they request.
  void settle(Json& job) {
    const Json* label = at_path(job, {"template", "metadata", "labels", kStepLabel});
    std::string step = label != nullptr && label->is_string() ? label->get<std::string>() : "";
    bool trains = step == kTrainer;
    bool node_of_mpi = text_at(job, "name") == kNode && mpi() != nullptr;
    if (trains || step == "dataset-initializer" || step == "model-initializer") job["replicas"] = 1;
    Json& spec = object_at(object_at(job, "template"), "spec");
    int64_t pods = number_at(spec, {"parallelism"}).value_or(1);
    const Json* policy = at_path(runtime_, {"spec", "mlPolicy"});
    if (trains && policy != nullptr) pods = number_at(*policy, {"numNodes"}).value_or(1);
    if (auto nodes = number_at(train_job_, {"spec", "trainer", "numNodes"})) {
      if (trains && mpi() == nullptr) pods = *nodes;
      if (node_of_mpi) pods = launcher_is_node() ? std::max<int64_t>(*nodes - 1, 1) : *nodes;
    }
    spec["parallelism"] = spec["completions"] = pods;
    if (trains || (node_of_mpi && launcher_is_node())) set_resources(spec);
  }

  const Json* mpi() const { return at_path(runtime_, {"spec", "mlPolicy", "mpi"}); }

  bool launcher_is_node() const {
    return copy_at(*mpi(), {"runLauncherAsNode"}, false) == Json(true);
  }

  void set_resources(Json& job_spec) {
    const Json* resources = at_path(train_job_, {"spec", "trainer", "resourcesPerNode"});
    if (resources == nullptr || !resources->is_object() || resources->empty()) return;
    Json& pod = object_at(object_at(job_spec, "template"), "spec");
    auto containers = pod.find("containers");
    if (containers == pod.end() || !containers->is_array()) return;
    for (Json& container : *containers) {
      if (container.is_object() && text_at(container, "name") == kNode) {
        container["resources"] = *resources;
      }
    }
  }

  void add_metadata() {
    Json metadata = copy_at(template_, {"metadata"}, Json::object());
    if (!metadata.is_object()) metadata = Json::object();
    for (const char* part : {"labels", "annotations"}) {
      if (const Json* added = at_path(train_job_, {"spec", part})) {
        Merge::apply(metadata, {{part, *added}});
      }
    }
    Json owner = {{"apiVersion", text_at(train_job_, "apiVersion")},
                  {"kind", kTrainJob},
                  {"controller", true}};
    for (const char* part : {"name", "uid"}) {
      if (const Json* found = at_path(train_job_, {"metadata", part})) owner[part] = *found;
    }
    for (const char* part : {"name", "namespace", "creationTimestamp"}) {
      if (const Json* found = at_path(train_job_, {"metadata", part})) metadata[part] = *found;
    }
    metadata["ownerReferences"] = Json::array({std::move(owner)});
    job_set_["metadata"] = std::move(metadata);
  }

  const Json& train_job_;
  const Json& runtime_;
  Json template_;
  Json job_set_;
};

}  // namespace

Json make_job_set(const Json& train_job, const Json& runtime) {
  return JobSetMaker(train_job, runtime).make();
}

RuntimeName runtime_of(const Json& train_job) {
  const Json reference = copy_at(train_job, {"spec", "runtimeRef"}, Json::object());
  if (!reference.is_object()) return {std::string(kClusterRuntime), ""};
  RuntimeName named{text_at(reference, "kind"), text_at(reference, "name")};
  if (named.kind.empty()) named.kind = kClusterRuntime;
  return named;
}

}  // namespace trellis
