#include "server/output/gang_summary.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/output/quantity_text.h"

namespace trellis {
namespace {

bool has_finished(PodStatus status) {
  return status == PodStatus::Succeeded || status == PodStatus::Failed;
}

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

GangSummary summarize_gang(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  GangSummary summary{.gang = gang};
  for (PodId id : cluster.pods_of(gang)) {
    const PodOutcome& outcome = record.pods[id];
    if (has_finished(outcome.status)) {
      ++summary.finished;
      continue;
    }
    ++summary.pods;
    const std::string& node =
        outcome.node.valid() ? cluster.nodes()[outcome.node].name : cluster.pods()[id].pod.node;
    if (is_placed(outcome.status)) {
      ++summary.placed;
      summary.nodes.push_back(node);
    } else if (outcome.status == PodStatus::Evicted || outcome.status == PodStatus::Releasing) {
      summary.leaving.push_back(node);
    }
  }
  sort_unique(summary.nodes);
  sort_unique(summary.leaving);
  return summary;
}

void count_gpus(const Cluster& cluster, const CycleRecord& record, CycleSummary& summary) {
  for (NodeId id : cluster.nodes_by_name()) {
    const ResourceList& allocatable = cluster.nodes()[id].allocatable;
    int64_t gpus = (allocatable.get(kGpu) + allocatable.get(kAmdGpu)) / kMilli;
    summary.gpus += gpus;
    summary.gpus_used += std::max<int64_t>(0, gpus - record.nodes[id].idle);
  }
}

std::string of_text(int64_t part, int64_t whole) {
  return grouped_text(part) + " of " + grouped_text(whole);
}

std::string noun(int64_t count, std::string_view word) {
  return std::string(word) + (count == 1 ? "" : "s");
}

}  // namespace

bool is_placed(PodStatus status) { return stays(status); }

bool is_placed(GangStatus status) {
  return status == GangStatus::Scheduled || status == GangStatus::Running ||
         status == GangStatus::Pipelined;
}

std::vector<GangSummary> summarize_gangs(const Cluster& cluster, const CycleRecord& record) {
  std::vector<GangSummary> summaries;
  for (GangId gang : cluster.gangs_by_name()) {
    summaries.push_back(summarize_gang(cluster, record, gang));
  }
  return summaries;
}

CycleSummary summarize(const Cluster& cluster, const CycleRecord& record) {
  CycleSummary summary;
  std::set<std::pair<std::string, std::vector<std::string>>> domains;
  for (GangId gang : cluster.gangs_by_name()) {
    GangSummary one = summarize_gang(cluster, record, gang);
    if (is_finished(one)) continue;
    const GangOutcome& outcome = record.gangs[gang];
    ++summary.gangs;
    summary.gangs_placed += is_placed(outcome.status) ? 1 : 0;
    summary.pods += one.pods;
    summary.pods_placed += one.placed;
    if (outcome.placement) domains.emplace(outcome.placement->topology, outcome.placement->domain);
  }
  summary.domains = static_cast<int64_t>(domains.size());
  summary.pods_evicted = static_cast<int64_t>(record.evictions.size());
  count_gpus(cluster, record, summary);
  return summary;
}

std::string summary_text(const CycleSummary& summary) {
  std::string text = of_text(summary.gangs_placed, summary.gangs) + " " +
                     noun(summary.gangs, "gang") + " placed, " +
                     of_text(summary.pods_placed, summary.pods) + " " + noun(summary.pods, "pod");
  if (summary.gpus > 0) {
    text +=
        ", " + of_text(summary.gpus_used, summary.gpus) + " " + noun(summary.gpus, "GPU") + " used";
  }
  text += ", " + grouped_text(summary.domains) + " " + noun(summary.domains, "domain") + " spanned";
  if (summary.pods_evicted > 0) {
    text += ", " + grouped_text(summary.pods_evicted) + " " + noun(summary.pods_evicted, "pod") +
            " evicted";
  }
  return text;
}

bool leaves_pods_waiting(const Cluster& cluster, const CycleRecord& record) {
  for (uint32_t i = 0; i < record.pods.size(); ++i) {
    PodId pod(i);
    if (!cluster.alive(pod) || record.pods[pod].status != PodStatus::Pending) continue;
    if (cluster.pods()[pod].pod.hold != PodHold::OtherScheduler) return true;
  }
  return false;
}

}  // namespace trellis
