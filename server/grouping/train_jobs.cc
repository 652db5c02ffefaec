#include "server/grouping/train_jobs.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"
#include "server/document/json_text.h"
#include "server/objects/decode_meta.h"
#include "server/objects/object_key.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/private_members.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

constexpr std::string_view kGroup = "trainer.kubeflow.org";
constexpr std::string_view kTrainJob = "TrainJob";
constexpr std::string_view kRuntime = "TrainingRuntime";
constexpr std::string_view kClusterRuntime = "ClusterTrainingRuntime";
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

class TrainJobs {
 public:
  TrainJobs(Records& records, FieldReader& fields)
      : records_(records), fields_(fields), strings_(fields.vocabulary().strings) {}

  std::vector<MadeJobSet> make() {
    std::vector<const OwnerRecord*> jobs;
    for (OwnerRecord& owner : records_.owners) {
      const ObjectKey& key = owner.meta.key;
      if (view(key.kind) == "JobSet") job_sets_.insert({key.name_space, key.name});
      if (!owner.text) continue;
      if (view(key.kind) == kTrainJob) {
        // With an error the numbers may be others than those that are meant.
        if (!owner.meta.broken()) jobs.push_back(&owner);
      } else {
        runtimes_.emplace(key, &owner);
      }
    }
    std::ranges::sort(jobs, {}, [this](const OwnerRecord* job) {
      return std::pair(view(job->meta.key.name_space), view(job->meta.key.name));
    });
    std::vector<MadeJobSet> made;
    for (const OwnerRecord* job : jobs) {
      if (job_sets_.contains({job->meta.key.name_space, job->meta.key.name})) continue;
      if (std::optional<std::string> text = make_one(*job)) {
        std::string name(view(job->meta.key.name_space));
        made.push_back(
            {"TrainJob " + name + "/" + std::string(view(job->meta.key.name)), std::move(*text)});
      }
    }
    return made;
  }

 private:
  using Named = std::pair<StrId, StrId>;  // namespace and name

  std::string_view view(StrId id) const { return strings_.view(id); }

  std::optional<std::string> make_one(const OwnerRecord& job) {
    Json train_job = parse_object(*job.text);
    const Json reference = copy_at(train_job, {"spec", "runtimeRef"}, Json::object());
    std::string name = reference.is_object() ? text_at(reference, "name") : "";
    std::string kind = reference.is_object() ? text_at(reference, "kind") : "";
    if (kind.empty()) kind = kClusterRuntime;
    OwnerRecord* runtime = find_runtime(job, kind, name);
    if (runtime == nullptr) {
      if (!has_pods(job)) warn(job, kind, name);
      return std::nullopt;
    }
    runtime->used = true;
    return one_line(JobSetMaker(train_job, parse_object(*runtime->text)).make());
  }

  OwnerRecord* find_runtime(const OwnerRecord& job, std::string_view kind, std::string_view name) {
    for (const auto& [key, runtime] : runtimes_) {
      bool everywhere = view(key.kind) == kClusterRuntime;
      bool here = everywhere || key.name_space == job.meta.key.name_space;
      if (here && view(key.kind) == kind && view(key.name) == name) return runtime;
    }
    return nullptr;
  }

  // By the label with the name of the JobSet, which is the TrainJob's.
  bool has_pods(const OwnerRecord& job) {
    if (!with_pods_) {
      with_pods_.emplace();
      StrId label = strings_.find(kOwnerNameLabels[0]);
      for (const PodRecord& pod : records_.pods) {
        StrId name = find_label(pod.object.pod.labels, label);
        if (name.valid()) with_pods_->insert({pod.object.pod.name_space, name});
      }
    }
    return with_pods_->contains({job.meta.key.name_space, job.meta.key.name});
  }

  void warn(const OwnerRecord& job, const std::string& kind, const std::string& name) {
    fields_.report().warning(
        Place{job.meta.pos, "$.spec.runtimeRef"},
        {"the " + kind + " " + in_quotes(name) + ", which is not in the input",
         "the runtime beside its TrainJob, of which no pods are made without it", ""});
  }

  Records& records_;
  FieldReader& fields_;
  const StringTable& strings_;
  ObjectMap<OwnerRecord*> runtimes_;
  std::set<Named> job_sets_;
  std::optional<std::set<Named>> with_pods_;
};

// Suspended, leaving, or with a queue name.
bool is_held(Value train_job) {
  Value metadata = train_job["metadata"];
  return train_job["spec"]["suspend"].boolean() || metadata["deletionTimestamp"].exists() ||
         !annotation_or_label(metadata, kQueueNameKey).text().empty();
}

bool names_runtime(Value train_job, FieldReader& fields) {
  Value spec = fields.object(train_job, "spec");
  Value trainer = fields.object(spec, "trainer");
  fields.integer(trainer, "numNodes", 1, INT32_MAX);
  fields.object(trainer, "resourcesPerNode");
  Value reference = fields.object(spec, "runtimeRef");
  if (spec.exists() && spec["runtimeRef"].absent()) {
    fields.missing(spec, "runtimeRef", "the runtime that makes the pods");
  }
  return reference.is(ValueKind::Object) &&
         fields.name(reference, "name", "the name of a runtime").has_value();
}

}  // namespace

std::shared_ptr<const std::string> trainer_text(Value object, const OwnerRecord& record,
                                                FieldReader& fields) {
  const StringTable& strings = fields.vocabulary().strings;
  if (strings.view(record.meta.key.group) != kGroup) return nullptr;
  std::string_view kind = strings.view(record.meta.key.kind);
  bool makes = kind == kTrainJob && record.end == OwnerEnd::None && !is_held(object);
  if (makes && !names_runtime(object, fields)) return nullptr;
  if (!makes && kind != kRuntime && kind != kClusterRuntime) return nullptr;
  return std::make_shared<const std::string>(json_text(object, {}, private_members(object)));
}

std::vector<MadeJobSet> make_job_sets(Records& records, FieldReader& fields) {
  return TrainJobs(records, fields).make();
}

}  // namespace trellis
