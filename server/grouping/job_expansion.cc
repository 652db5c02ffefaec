#include "server/grouping/job_expansion.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/objects/object_key.h"

namespace trellis {
namespace {

constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kJobNameKey = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldJobNameKey = "job-name";

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
  JobExpander(Records& records, PodFactory& pods, FieldReader& fields)
      : records_(records), pods_(pods), fields_(fields) {}

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
    if (!pods_.makes_pods()) return;
    if (!pods_.reserve(plan.missing, job.parallelism_at, "Job")) return;
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
    PodRecord record = pods_.begin(owner, job);
    std::string base(view(owner.meta.key.name));
    base += '-';
    // A pod of that name may exist: one that failed, or one of another owner.
    std::string name = base + std::to_string(index);
    for (int64_t next = 1; !pods_.take_name(record, name); ++next) {
      if (!job.indexed) ++index;
      name = base + std::to_string(index) + (job.indexed ? "-" + std::to_string(next) : "");
    }
    Pod& pod = record.object.pod;
    StrId job_name = owner.meta.key.name;
    set_label(pod.labels, {fields_.intern(kJobNameKey), job_name});
    set_label(pod.labels, {fields_.intern(kOldJobNameKey), job_name});
    std::pair<std::string_view, std::string> annotation;
    if (job.indexed) {
      pod.completion_index = static_cast<int32_t>(index);
      annotation = {kIndexKey, std::to_string(index)};
      set_label(pod.labels, {fields_.intern(kIndexKey), fields_.intern(annotation.second)});
    }
    pods_.add(owner, "batch/v1", job, std::move(record), std::move(annotation));
  }

  Records& records_;
  PodFactory& pods_;
  FieldReader& fields_;
};

}  // namespace

void expand_jobs(Records& records, PodFactory& pods, FieldReader& fields) {
  JobExpander(records, pods, fields).run();
}

}  // namespace trellis
