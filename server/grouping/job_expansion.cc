#include "server/grouping/job_expansion.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/string_table.h"
#include "server/document/json_text.h"
#include "server/document/timestamp.h"
#include "server/objects/object_key.h"

namespace trellis {
namespace {

constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kJobNameKey = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldJobNameKey = "job-name";

constexpr int64_t kMostOfOne = 100'000;  // pods of a Job; Kubernetes' own bound on indexed ones

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

// The ranges sorted, without overlaps.
Ranges merge_ranges(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  Ranges merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

// The pods of a Job that are there already.
struct Existing {
  int64_t active = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  Ranges busy;       // indexes of active pods
  Ranges completed;  // indexes of succeeded pods
};

void count_pod(const Pod& pod, Existing& existing) {
  int64_t index = pod.completion_index;
  if (pod.status == PodStatus::Succeeded) {
    ++existing.succeeded;
    if (index >= 0) existing.completed.emplace_back(index, index);
  } else if (pod.status == PodStatus::Failed) {
    ++existing.failed;
  } else {
    ++existing.active;
    if (index >= 0) existing.busy.emplace_back(index, index);
  }
}

// What is still to be made, and how many pods there should be at once.
struct Plan {
  int64_t missing = 0;
  int64_t wanted = 0;
  Ranges taken;  // indexes that need no new pod
};

Plan make_plan(const OwnerRecord& owner, const Existing& existing) {
  const JobRecord& job = *owner.job;
  Plan plan;
  Ranges completed = job.completed;
  completed.insert(completed.end(), existing.completed.begin(), existing.completed.end());
  completed = merge_ranges(std::move(completed));
  int64_t succeeded = std::max(job.succeeded, existing.succeeded);
  if (job.indexed) {
    int64_t indexes = 0;
    for (const auto& range : completed) {
      if (range.first >= *job.completions) break;
      indexes += std::min(range.second, *job.completions - 1) - range.first + 1;
    }
    succeeded = std::max(existing.succeeded, indexes);
  }
  int64_t wanted = job.parallelism;
  if (job.completions) {
    wanted = std::min(wanted, std::max<int64_t>(0, *job.completions - succeeded));
  } else if (succeeded > 0) {
    wanted = 0;
  }
  if (job.over || owner.held || existing.failed > job.backoff_limit) wanted = 0;
  plan.missing = std::max<int64_t>(0, wanted - existing.active);
  plan.wanted = wanted;
  plan.taken = std::move(completed);
  plan.taken.insert(plan.taken.end(), existing.busy.begin(), existing.busy.end());
  plan.taken = merge_ranges(std::move(plan.taken));
  return plan;
}

class JobExpander {
 public:
  JobExpander(Records& records, std::optional<int64_t> max_pods, FieldReader& fields,
              std::vector<RawObject>* raw)
      : records_(records),
        left_(max_pods.value_or(0)),
        max_pods_(max_pods),
        fields_(fields),
        raw_(raw) {}

  void run() {
    std::vector<OwnerRecord*> jobs;
    for (OwnerRecord& owner : records_.owners) {
      if (owner.job) jobs.push_back(&owner);
    }
    if (jobs.empty()) return;
    // In order of name: which Job meets the limit does not depend on the order of the input.
    std::sort(jobs.begin(), jobs.end(), [this](const OwnerRecord* a, const OwnerRecord* b) {
      return std::pair(view(a->meta.key.name_space), view(a->meta.key.name)) <
             std::pair(view(b->meta.key.name_space), view(b->meta.key.name));
    });
    ObjectMap<size_t> positions;
    for (size_t i = 0; i < jobs.size(); ++i) positions.emplace(jobs[i]->meta.key, i);
    std::vector<Existing> existing(jobs.size());
    for (const PodRecord& pod : records_.pods) {
      auto found = positions.find(pod.meta.owner);
      if (found != positions.end()) count_pod(pod.object.pod, existing[found->second]);
      names_.insert(pod.meta.key);
    }
    for (size_t i = 0; i < jobs.size(); ++i) expand(*jobs[i], existing[i]);
  }

 private:
  std::string_view view(StrId id) const { return fields_.vocabulary().strings.view(id); }

  void expand(OwnerRecord& owner, const Existing& existing) {
    const JobRecord& job = *owner.job;
    if (job.indexed && !job.completions) return;  // reported when it was read
    Plan plan = make_plan(owner, existing);
    owner.job_wanted = plan.wanted;
    if (!max_pods_) return;
    if (plan.missing > kMostOfOne) {
      fields_.report().error(job.parallelism_at,
                             {std::to_string(plan.missing) + " pods to make",
                              "at most " + std::to_string(kMostOfOne) + " of one Job", ""});
      return;
    }
    if (plan.missing > left_) {
      fields_.report().error(
          job.parallelism_at,
          {std::to_string(plan.missing) + " pods to make",
           "at most " + std::to_string(*max_pods_) + " of all Jobs together", ""});
      return;
    }
    left_ -= plan.missing;
    int64_t index = 0;
    size_t range = 0;
    for (int64_t made = 0; made < plan.missing; ++made, ++index) {
      if (job.indexed) {
        for (; range < plan.taken.size() && plan.taken[range].first <= index; ++range) {
          index = std::max(index, plan.taken[range].second + 1);
        }
        if (index >= *job.completions) return;
      }
      add_pod(owner, index);
    }
  }

  // `index`: on return the index that was used.
  void add_pod(const OwnerRecord& owner, int64_t& index) {
    const JobRecord& job = *owner.job;
    PodRecord record = job.pod;
    record.meta.key = owner.meta.key;
    record.meta.key.group = StringTable::kEmpty;
    record.meta.key.kind = fields_.intern("Pod");
    record.meta.owner = owner.meta.key;
    record.meta.created = owner.meta.created;
    record.meta.pos = owner.meta.pos;
    record.meta.error = owner.meta.error;
    std::string base(view(owner.meta.key.name));
    base += '-';
    std::string name = base + std::to_string(index);
    record.meta.key.name = fields_.intern(name);
    // A pod of that name may exist: one that failed, or one of another owner.
    for (int64_t next = 1; !names_.insert(record.meta.key).second; ++next) {
      if (!job.indexed) ++index;
      name = base + std::to_string(index) + (job.indexed ? "-" + std::to_string(next) : "");
      record.meta.key.name = fields_.intern(name);
    }
    Pod& pod = record.object.pod;
    pod.name_space = record.meta.key.name_space;
    pod.name = name;
    pod.created = record.meta.created;
    set_label(pod.labels, kJobNameKey, view(owner.meta.key.name));
    set_label(pod.labels, kOldJobNameKey, view(owner.meta.key.name));
    if (job.indexed) {
      pod.completion_index = static_cast<int32_t>(index);
      set_label(pod.labels, kIndexKey, std::to_string(index));
    }
    if (raw_ != nullptr) raw_->push_back(raw_pod(owner, pod));
    records_.pods.push_back(std::move(record));
  }

  void set_label(Labels& labels, std::string_view key, std::string_view value) {
    Label label{fields_.intern(key), fields_.intern(value)};
    auto at = std::lower_bound(labels.begin(), labels.end(), label,
                               [](const Label& a, const Label& b) { return a.key < b.key; });
    if (at != labels.end() && at->key == label.key) {
      at->value = label.value;
    } else {
      labels.insert(at, label);
    }
  }

  RawObject raw_pod(const OwnerRecord& owner, const Pod& pod) const {
    const JobRecord& job = *owner.job;
    auto member = [](std::string& out, std::string_view key, std::string_view text) {
      if (out.back() != '{') out += ',';
      append_json_string(out, key);
      out += ':';
      append_json_string(out, text);
    };
    // An object's text without its closing brace; `text` empty: an empty object.
    auto open = [](std::string_view text) {
      return text.empty() ? std::string("{") : std::string(text.substr(0, text.size() - 1));
    };
    std::string json = R"({"apiVersion":"v1","kind":"Pod","metadata":{)";
    member(json, "namespace", view(pod.name_space));
    member(json, "name", pod.name);
    if (pod.created != kNoTime) member(json, "creationTimestamp", format_timestamp(pod.created));
    // The pod's own labels, not the template's text: labels that are set here replace those of the
    // template.
    json += R"(,"labels":{)";
    for (Label label : by_key(pod.labels)) member(json, view(label.key), view(label.value));
    json += '}';
    std::string annotations = open(job.raw_annotations);
    if (job.indexed && annotations.find(kIndexKey) == std::string::npos) {
      member(annotations, kIndexKey, std::to_string(pod.completion_index));
    }
    if (annotations.size() > 1) json += R"(,"annotations":)" + annotations + "}";
    if (!job.raw_finalizers.empty()) json += R"(,"finalizers":)" + job.raw_finalizers;
    json += R"(,"ownerReferences":[{)";
    member(json, "apiVersion", "batch/v1");
    member(json, "kind", "Job");
    member(json, "name", view(owner.meta.key.name));
    if (!owner.meta.uid.empty()) member(json, "uid", owner.meta.uid);
    json += R"(,"controller":true}]},"spec":)";
    json += job.raw_spec.empty() ? "{}" : job.raw_spec;
    json += R"(,"status":{"phase":"Pending"}})";
    return {"Pod", std::string(view(pod.name_space)), pod.name, std::move(json)};
  }

  Labels by_key(Labels labels) const {
    std::sort(labels.begin(), labels.end(),
              [this](const Label& a, const Label& b) { return view(a.key) < view(b.key); });
    return labels;
  }

  Records& records_;
  int64_t left_;
  std::optional<int64_t> max_pods_;
  FieldReader& fields_;
  std::vector<RawObject>* raw_;
  ObjectSet names_;  // of all pods
};

}  // namespace

void expand_jobs(Records& records, std::optional<int64_t> max_pods, FieldReader& fields,
                 std::vector<RawObject>* raw) {
  JobExpander(records, max_pods, fields, raw).run();
}

}  // namespace trellis
