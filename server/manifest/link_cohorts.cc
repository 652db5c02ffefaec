#include "server/manifest/link_cohorts.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace trellis {
namespace {

enum class CohortState : uint8_t { New, OnPath, Good, Circle };

class CohortLinker {
 public:
  CohortLinker(KueueRecords& kueue, FieldReader& fields)
      : kueue_(kueue), fields_(fields), states_(kueue.cohorts.size()), ends_(states_.size()) {
    for (size_t i = 0; i < kueue_.cohorts.size(); ++i) {
      by_name_.emplace(kueue_.cohorts[i].meta.key.name.value, i);
    }
  }

  void run() {
    for (size_t i = 0; i < states_.size(); ++i) climb(i);
    for (ClusterQueueRecord& record : kueue_.cluster_queues) {
      auto found = by_name_.find(record.queue.cohort.value);
      if (found == by_name_.end() || states_[found->second] != CohortState::Circle) continue;
      record.queue.inactive.push_back(
          {.code = ReasonCode::CohortCycle,
           .subject = kueue_.cohorts[ends_[found->second]].cohort.name});
    }
    for (CohortRecord* record : on_circle_) record->cohort.parent = {};
  }

 private:
  // Up to a cohort that is judged already, or to a root; then down again.
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
      auto parent = by_name_.find(kueue_.cohorts[at].cohort.parent.value);
      if (parent == by_name_.end()) break;
      at = parent->second;
    }
    for (size_t i : path) {
      states_[i] = end;
      ends_[i] = circle;
    }
  }

  void report_circle(const std::vector<size_t>& path, size_t entry) {
    size_t first = 0;
    while (path[first] != entry) ++first;
    for (size_t i = first; i < path.size(); ++i) {
      CohortRecord& record = kueue_.cohorts[path[i]];
      on_circle_.push_back(&record);
      std::string name(fields_.vocabulary().strings.view(record.cohort.parent));
      fields_.report().error(
          record.parent,
          {in_quotes(name) + ", which is below this cohort itself", "a parent above it", ""});
    }
  }

  KueueRecords& kueue_;
  FieldReader& fields_;
  std::vector<CohortState> states_;
  std::vector<size_t> ends_;  // of those below a circle: a cohort on it
  std::vector<CohortRecord*> on_circle_;
  absl::flat_hash_map<uint32_t, size_t> by_name_;
};

}  // namespace

void link_cohorts(KueueRecords& kueue, FieldReader& fields) {
  // Which one of a circle is named does not depend on the order of the input.
  std::sort(
      kueue.cohorts.begin(), kueue.cohorts.end(),
      [](const CohortRecord& a, const CohortRecord& b) { return a.cohort.name < b.cohort.name; });
  CohortLinker(kueue, fields).run();
}

}  // namespace trellis
