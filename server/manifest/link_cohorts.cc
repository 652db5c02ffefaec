#include "server/manifest/link_cohorts.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace trellis {
namespace {

constexpr size_t kMostCohortLevels =
    64;  // of Cohorts above each other: usage counts in all of them

enum class CohortState : uint8_t { New, OnPath, Good, Circle, TooDeep };

class CohortLinker {
 public:
  CohortLinker(KueueRecords& kueue, FieldReader& fields)
      : kueue_(kueue),
        fields_(fields),
        states_(kueue.cohorts.size()),
        ends_(states_.size()),
        levels_(states_.size(), 0) {
    for (size_t i = 0; i < kueue_.cohorts.size(); ++i) {
      by_name_.emplace(kueue_.cohorts[i].meta.key.name.value, i);
    }
  }

  void run() {
    for (size_t i = 0; i < states_.size(); ++i) climb(i);
    for (ClusterQueueRecord& record : kueue_.cluster_queues) {
      auto found = by_name_.find(record.queue.cohort.raw().value);
      if (found == by_name_.end() || states_[found->second] == CohortState::Good) continue;
      bool circle = states_[found->second] == CohortState::Circle;
      record.queue.inactive.push_back(
          {.code = circle ? ReasonCode::CohortCycle : ReasonCode::CohortTooDeep,
           .subject = kueue_.cohorts[ends_[found->second]].cohort.name});
    }
    for (CohortRecord* record : cut_off_) record->cohort.parent = {};
  }

 private:
  // Goes up to a cohort that is judged already, or to a root; then down again.
  void climb(size_t start) {
    std::vector<size_t> path;
    size_t at = start;
    CohortState end = CohortState::Good;
    size_t circle = 0;
    while (true) {
      if (states_[at] == CohortState::OnPath) {
        report_circle(path, at);
        end = CohortState::Circle;
        circle = at;
        break;
      }
      if (states_[at] != CohortState::New) {
        end = states_[at];
        circle = ends_[at];
        break;
      }
      states_[at] = CohortState::OnPath;
      path.push_back(at);
      auto parent = by_name_.find(kueue_.cohorts[at].cohort.parent.raw().value);
      if (parent == by_name_.end()) break;
      at = parent->second;
    }
    size_t level = path.empty() || at == path.back() ? 0 : levels_[at];
    for (size_t i = path.size(); i-- > 0;) {
      size_t cohort = path[i];
      levels_[cohort] = ++level;
      if (end == CohortState::Good && level > kMostCohortLevels) {
        report_depth(cohort);
        end = CohortState::TooDeep;
        circle = cohort;
      }
      states_[cohort] = end;
      ends_[cohort] = circle;
      if (end == CohortState::TooDeep) cut_off_.push_back(&kueue_.cohorts[cohort]);
    }
  }

  void report_depth(size_t cohort) {
    fields_.report().error(kueue_.cohorts[cohort].parent,
                           {std::to_string(levels_[cohort]) + " Cohorts above each other",
                            "at most " + std::to_string(kMostCohortLevels), ""});
  }

  void report_circle(const std::vector<size_t>& path, size_t entry) {
    size_t first = 0;
    while (path[first] != entry) ++first;
    for (size_t i = first; i < path.size(); ++i) {
      CohortRecord& record = kueue_.cohorts[path[i]];
      cut_off_.push_back(&record);
      std::string name(fields_.vocabulary().strings.view(*record.cohort.parent));
      fields_.report().error(
          record.parent,
          {in_quotes(name) + ", which is below this cohort itself", "a parent above it", ""});
    }
  }

  KueueRecords& kueue_;
  FieldReader& fields_;
  std::vector<CohortState> states_;
  // For cohorts below a circle a cohort on it, for those too deep the first cohort that is.
  std::vector<size_t> ends_;
  std::vector<size_t> levels_;          // of good cohorts: cohorts up to the root
  std::vector<CohortRecord*> cut_off_;  // cohorts that lose their parent
  absl::flat_hash_map<uint32_t, size_t> by_name_;
};

}  // namespace

void link_cohorts(KueueRecords& kueue, FieldReader& fields) {
  // Which cohort of a circle is reported does not depend on the order of the input.
  std::sort(
      kueue.cohorts.begin(), kueue.cohorts.end(),
      [](const CohortRecord& a, const CohortRecord& b) { return a.cohort.name < b.cohort.name; });
  CohortLinker(kueue, fields).run();
}

}  // namespace trellis
