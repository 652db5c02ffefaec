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

// An object of the object; empty where it has none of this name.
Json part_of(const Json& object, const char* part) {
  auto found = object.find(part);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

class TrainJobs {
 public:
  TrainJobs(Records& records, FieldReader& fields)
      : records_(records), fields_(fields), strings_(fields.vocabulary().strings) {}

  std::vector<MadeJobSet> make(JobSetUse use) {
    std::vector<size_t> jobs;
    for (size_t i = 0; i < records_.owners.size(); ++i) {
      OwnerRecord& owner = records_.owners[i];
      const ObjectKey& key = owner.meta.key;
      if (view(key.kind) == "JobSet") job_sets_.insert({key.name_space, key.name});
      if (!owner.text) continue;
      if (view(key.kind) == kTrainJob) {
        // With an error the numbers may be others than those that are meant.
        if (!owner.meta.broken()) jobs.push_back(i);
      } else {
        runtimes_.emplace(key, &owner);
      }
    }
    auto name_of = [this](size_t job) {
      const ObjectKey& key = records_.owners[job].meta.key;
      return std::pair(view(key.name_space), view(key.name));
    };
    std::ranges::sort(jobs, {}, name_of);
    std::vector<MadeJobSet> made;
    for (size_t job : jobs) {
      std::optional<std::string> text = make_one(records_.owners[job], use);
      if (!text) continue;
      auto [name_space, name] = name_of(job);
      made.push_back(
          {"TrainJob " + std::string(name_space) + "/" + std::string(name), std::move(*text), job});
    }
    return made;
  }

 private:
  using Named = std::pair<StrId, StrId>;  // namespace and name

  std::string_view view(StrId id) const { return strings_.view(id); }

  std::optional<std::string> make_one(const OwnerRecord& job, JobSetUse use) {
    bool for_pods = use == JobSetUse::Pods;
    bool known = job_sets_.contains({job.meta.key.name_space, job.meta.key.name});
    if (for_pods && known) return std::nullopt;
    Json train_job = parse_object(*job.text);
    if (is_queued(train_job) == for_pods) return std::nullopt;
    auto [kind, name] = runtime_of(train_job);
    OwnerRecord* runtime = find_runtime(job, kind, name);
    if (runtime == nullptr) {
      if (!has_pods(job)) warn(job, kind, name);
      return std::nullopt;
    }
    runtime->used = true;
    Json job_set = make_job_set(train_job, parse_object(*runtime->text));
    if (!for_pods) take_keys(train_job, job_set);
    return one_line(job_set);
  }

  static bool is_queued(const Json& train_job) {
    for (const char* part : {"annotations", "labels"}) {
      if (!text_at(part_of(part_of(train_job, "metadata"), part), kQueueNameKey.data()).empty())
        return true;
    }
    return false;
  }

  // The queue and the requests of the workload are the TrainJob's.
  static void take_keys(const Json& train_job, Json& job_set) {
    Json& metadata = object_at(job_set, "metadata");
    for (const char* part : {"annotations", "labels"}) {
      const Json keys = part_of(part_of(train_job, "metadata"), part);
      for (const auto& [key, value] : keys.items()) object_at(metadata, part)[key] = value;
    }
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

// Leaving, or suspended without a queue name: it makes neither pods nor a workload.
bool is_held(Value train_job) {
  Value metadata = train_job["metadata"];
  bool queued = !annotation_or_label(metadata, kQueueNameKey).text().empty();
  return metadata["deletionTimestamp"].exists() ||
         (train_job["spec"]["suspend"].boolean() && !queued);
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

std::vector<MadeJobSet> make_job_sets(JobSetUse use, Records& records, FieldReader& fields) {
  return TrainJobs(records, fields).make(use);
}

}  // namespace trellis
