#include "session/cycle/late_reports.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

std::optional<Reason> late_report(const PlacementContext& context,
                                  std::span<const PromisedNode> promises) {
  const Cluster& cluster = context.cluster();
  std::vector<std::string_view> late;
  for (const PromisedNode& promise : promises) {
    bool looks_at_zones = static_cast<bool>(cluster.pod_classes()[promise.pod_class].demand);
    const Node& node = cluster.nodes()[promise.node];
    if (looks_at_zones && !node.left.empty()) late.push_back(node.name);
  }
  if (late.empty()) return std::nullopt;
  std::sort(late.begin(), late.end());
  late.erase(std::unique(late.begin(), late.end()), late.end());
  Reason reason{.code = ReasonCode::WaitingForZoneReport, .plugin = "numa"};
  reason.subject = late.front();
  reason.nodes = static_cast<int64_t>(late.size());
  return reason;
}

std::optional<Reason> late_report(const PlacementContext& context, const WorkloadPlace& place) {
  std::vector<PromisedNode> promises;
  for (const PodSetPlace& set : place.pod_sets) {
    for (const SlotFill& fill : set.slots) promises.push_back({fill.pod_class, fill.node});
  }
  return late_report(context, promises);
}

void add_late_report_reasons(Session& session) {
  if (!session.fits().anything_leaving()) return;
  std::map<GangId, std::vector<PromisedNode>> promises;
  for (const Decision& decision : session.decisions()) {
    if (decision.kind != Decision::Kind::Pipeline) continue;
    const PodKey& key = session.snapshot().key(decision.pod);
    promises[key.gang].push_back({key.pod_class, decision.node});
  }
  for (const auto& [gang, places] : promises) {
    bool reported = std::ranges::any_of(session.reasons(gang), [](const Reason& reason) {
      return reason.code == ReasonCode::WaitingForZoneReport;
    });
    if (reported) continue;
    if (std::optional<Reason> reason = late_report(session, places)) {
      session.add_reason(gang, std::move(*reason));
    }
  }
}

}  // namespace trellis
