#include "server/wording/workload_text.h"

#include "framework/reason_catalog.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

std::string in_quotes(const std::string& name) { return "\"" + name + "\""; }

std::string because(std::string text, const Reason& reason) {
  return reason.subject.empty() ? text : text + ": " + reason.subject;
}

std::string shortage_text(const Cluster& cluster, const Reason& reason,
                          const QuotaShortage& shortage) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  auto amount = [&](int64_t of) { return quantity_text(resources, shortage.resource, of); };
  std::string of = " for " + resources.name(shortage.resource) + " in flavor " + shortage.flavor;
  if (reason.code == ReasonCode::ExceedsMaxQuota) {
    return "insufficient quota" + of + ", request > maximum capacity (" + amount(shortage.asked) +
           " > " + amount(shortage.available) + ")";
  }
  return "insufficient unused quota" + of + ", " + amount(shortage.asked - shortage.available) +
         " more needed";
}

std::string shortages_text(const Cluster& cluster, const Reason& reason, const char* otherwise) {
  std::string text;
  for (const QuotaShortage& shortage : reason.quota) {
    if (!text.empty()) text += ", ";
    text += shortage_text(cluster, reason, shortage);
  }
  return text.empty() ? because(otherwise, reason) : text;
}

std::string placement_text(const Cluster& cluster, Reason reason) {
  std::string text = "topology " + in_quotes(reason.topology);
  std::string where;
  if (!reason.level.empty()) where.append(" in one ").append(short_level(reason.level));
  if (reason.found >= reason.needed) {
    text += " has room for all " + std::to_string(reason.needed) + " pod(s)" + where +
            " by count, but not " + reason.subject;
  } else {
    text += reason.found > 0 ? " allows to fit only " + std::to_string(reason.found) + " out of "
                             : " doesn't allow to fit any of ";
    text += std::to_string(reason.needed) + " pod(s)" + where;
    if (!reason.subject.empty()) text += " in whole " + reason.subject;
  }
  if (!reason.domain.empty()) text += "; the best is " + path_text(reason.domain);
  if (reason.verdicts.empty()) return text;
  Reason nodes{.code = ReasonCode::NodesNoFit, .nodes = reason.nodes};
  nodes.verdicts = std::move(reason.verdicts);
  return text + "; " + nodes_text(cluster, nodes);
}

}  // namespace

std::string workload_text(const Cluster& cluster, const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::NoMatchingFlavor:
      return reason.flavor.empty() ? because("no flavor is for these pods", reason)
                                   : because("flavor " + in_quotes(reason.flavor), reason);
    case ReasonCode::WaitingForQuota:
      return shortages_text(cluster, reason, "insufficient unused quota");
    case ReasonCode::ExceedsMaxQuota:
      return shortages_text(cluster, reason, "insufficient quota");
    case ReasonCode::TopologyPlacementFailed:
      return placement_text(cluster, reason);
    case ReasonCode::WaitingForPreemptedWorkloads:
      return "pending the preemption of " + std::to_string(reason.found) + " workload(s)";
    case ReasonCode::Misconfigured:
      return reason.subject.empty() ? "it contradicts itself" : reason.subject;
    case ReasonCode::Preempted:
    case ReasonCode::PodsReadyTimeout:
    case ReasonCode::NodeFailures:
      return because(std::string(reason_entry(reason.code).sentence), reason);
    default:
      return filled(reason_entry(reason.code).sentence, in_quotes(reason.subject));
  }
}

}  // namespace trellis
