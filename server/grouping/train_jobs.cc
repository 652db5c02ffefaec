#include "server/grouping/train_jobs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"
#include "server/document/json_text.h"
#include "server/objects/decode_meta.h"
#include "server/objects/made_job_set.h"
#include "server/objects/object_key.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/private_members.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

constexpr std::string_view kTrainJob = "TrainJob";
constexpr std::string_view kRuntime = "TrainingRuntime";

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
    auto [kind, name] = runtime_of(train_job);
    OwnerRecord* runtime = find_runtime(job, kind, name);
    if (runtime == nullptr) {
      if (!has_pods(job)) warn(job, kind, name);
      return std::nullopt;
    }
    runtime->used = true;
    return one_line(make_job_set(train_job, parse_object(*runtime->text)));
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
  if (strings.view(record.meta.key.group) != kTrainerGroup) return nullptr;
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
