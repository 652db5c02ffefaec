#include "server/view/gang_summary.h"

#include <absl/container/flat_hash_map.h>

#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

std::string of_text(int64_t part, int64_t whole) {
  return grouped_text(part) + " of " + grouped_text(whole);
}

std::string noun(int64_t count, std::string_view word) {
  return std::string(word) + (count == 1 ? "" : "s");
}

}  // namespace

GangSummary summarize_gang(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  GangSummary summary{.gang = gang};
  for (PodId id : cluster.pods_of(gang)) {
    const PodOutcome& outcome = record.pods[id];
    if (has_finished(outcome.status)) continue;
    ++summary.pods;
    std::string_view node = outcome.node.valid()
                                ? std::string_view(cluster.nodes()[outcome.node].name)
                                : cluster.pods()[id].pod.node.view();
    if (is_placed(outcome.status)) {
      ++summary.placed;
      summary.nodes.emplace_back(node);
    } else if (outcome.status == PodStatus::Evicted || outcome.status == PodStatus::Releasing) {
      summary.leaving.emplace_back(node);
    }
  }
  sort_unique(summary.nodes);
  sort_unique(summary.leaving);
  return summary;
}

bool is_placed(PodStatus status) { return will_remain(status); }

bool is_placed(GangStatus status) {
  return status == GangStatus::Scheduled || status == GangStatus::Running ||
         status == GangStatus::Pipelined;
}

int64_t whole_gpus(const Node& node) {
  return (node.allocatable.get(kGpu) + node.allocatable.get(kAmdGpu)) / kMilli;
}

std::vector<GangSummary> summarize_gangs(const Cluster& cluster, const CycleRecord& record) {
  std::vector<GangSummary> summaries;
  for (GangId gang : cluster.gangs_by_name()) {
    summaries.push_back(summarize_gang(cluster, record, gang));
  }
  return summaries;
}

std::vector<SubgroupSummary> summarize_subgroups(const Cluster& cluster, const CycleRecord& record,
                                                 GangId gang) {
  const std::vector<Subgroup>& subgroups = cluster.gangs()[gang].subgroups;
  std::vector<SubgroupSummary> summaries(subgroups.size());
  absl::flat_hash_map<uint32_t, size_t> index;
  for (size_t i = 0; i < subgroups.size(); ++i) {
    index.emplace(subgroups[i].name.value, i);
    if (subgroups[i].parent < 0) continue;
    summaries[i].depth = summaries[static_cast<size_t>(subgroups[i].parent)].depth + 1;
  }
  for (PodId id : cluster.pods_of(gang)) {
    const PodOutcome& outcome = record.pods[id];
    const Pod& pod = cluster.pods()[id].pod;
    auto found = index.find(pod.subgroup.value);
    if (found == index.end() || has_finished(outcome.status)) continue;
    SubgroupSummary& summary = summaries[found->second];
    ++summary.pods;
    if (!is_placed(outcome.status)) continue;
    ++summary.placed;
    summary.nodes.push_back(outcome.node.valid() ? cluster.nodes()[outcome.node].name
                                                 : std::string(pod.node));
  }
  for (size_t i = subgroups.size(); i-- > 0;) {
    sort_unique(summaries[i].nodes);
    if (subgroups[i].parent < 0) continue;
    SubgroupSummary& parent = summaries[static_cast<size_t>(subgroups[i].parent)];
    parent.pods += summaries[i].pods;
    parent.placed += summaries[i].placed;
    parent.nodes.insert(parent.nodes.end(), summaries[i].nodes.begin(), summaries[i].nodes.end());
  }
  return summaries;
}

std::vector<size_t> depth_first(const std::vector<Subgroup>& subgroups) {
  std::vector<std::vector<size_t>> children(subgroups.size());
  std::vector<size_t> pending;
  for (size_t i = subgroups.size(); i-- > 0;) {
    if (subgroups[i].parent < 0) {
      pending.push_back(i);
    } else {
      children[static_cast<size_t>(subgroups[i].parent)].push_back(i);
    }
  }
  std::vector<size_t> order;
  while (!pending.empty()) {
    size_t next = pending.back();
    pending.pop_back();
    order.push_back(next);
    pending.insert(pending.end(), children[next].begin(), children[next].end());
  }
  return order;
}

std::string placement_text(const std::optional<GangPlacement>& placement) {
  if (!placement) return "-";
  if (placement->domain.empty()) return "whole topology";
  return std::string(short_level(placement->level)) + " " + path_text(placement->domain);
}

std::string closed_text(const CycleSummary& summary) {
  if (summary.gpus_closed == 0) return "";
  return ", " + grouped_text(summary.gpus_closed) + " idle on closed nodes";
}

std::string summary_text(const CycleSummary& summary, const WorkloadSummary& workloads) {
  std::string text;
  if (workloads.workloads > 0) {
    text = of_text(workloads.admitted, workloads.workloads) + " " +
           noun(workloads.workloads, "workload") + " admitted with " +
           of_text(workloads.pods_admitted, workloads.pods) + " " + noun(workloads.pods, "pod");
  }
  bool has_gangs = summary.gangs > 0 || workloads.workloads == 0;
  if (has_gangs) {
    text += text.empty() ? "" : "; ";
    text += of_text(summary.gangs_placed, summary.gangs) + " " + noun(summary.gangs, "gang") +
            " placed, " + of_text(summary.pods_placed, summary.pods) + " " +
            noun(summary.pods, "pod");
  }
  if (summary.gpus > 0) {
    int64_t usable = summary.gpus - summary.gpus_closed;
    text += ", " + of_text(summary.gpus_used, usable) + " " + noun(usable, "GPU") + " used";
  }
  text += closed_text(summary);
  if (has_gangs) {
    text +=
        ", " + grouped_text(summary.domains) + " " + noun(summary.domains, "domain") + " spanned";
  }
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
