#include "server/wording/reason_parts.h"

#include <algorithm>

#include "framework/reason_catalog.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {

std::vector<Shortage> by_name(const ResourceTable& resources, std::span<const Shortage> shortages) {
  std::vector<Shortage> sorted(shortages.begin(), shortages.end());
  std::sort(sorted.begin(), sorted.end(), [&](const Shortage& a, const Shortage& b) {
    return resources.name(a.resource) < resources.name(b.resource);
  });
  return sorted;
}

std::string amount_text(const ResourceTable& resources, ResourceId resource, int64_t amount) {
  std::string quantity = quantity_text(resources, resource, amount);
  if (!ResourceTable::is_gpu(resource)) return quantity + " " + resources.name(resource);
  return milli_text(amount) + (amount == kMilli ? " GPU" : " GPUs");
}

namespace {

std::string people_amount_text(const ResourceTable& resources, ResourceId resource,
                               int64_t amount) {
  std::string quantity = people_quantity_text(amount, resources.unit(resource));
  if (resource == kCpu) return quantity;
  if (ResourceTable::is_gpu(resource)) return quantity + (amount == kMilli ? " GPU" : " GPUs");
  return quantity + " " + resources.name(resource);
}

// "request gpu: 3 of 8 devices match, 1 is tainted, 1 is taken by default/other, 1 overlaps devices
// that are taken"
std::string device_text(const DeviceShortage& shortage) {
  std::string text = "request " + shortage.request + ": ";
  if (!shortage.error.empty() && shortage.match == 0) return text + shortage.error;
  text += std::to_string(shortage.match) + " of " + std::to_string(shortage.seen) + " devices ";
  text += shortage.match == 1 ? "matches" : "match";
  auto add = [&](int64_t devices, std::string_view what) {
    if (devices == 0) return;
    text.append(", ").append(std::to_string(devices));
    text.append(devices == 1 ? " is " : " are ").append(what);
  };
  add(shortage.tainted, "tainted");
  add(shortage.taken, "taken");
  if (shortage.taken > 0 && !shortage.holder.empty()) text += " by " + shortage.holder;
  if (shortage.overlapping == 0) return text;
  text.append(", ").append(std::to_string(shortage.overlapping));
  return text + (shortage.overlapping == 1 ? " overlaps" : " overlap") + " devices that are taken";
}

}  // namespace

std::string amounts_text(const ResourceTable& resources, std::span<const Shortage> amounts) {
  std::string text;
  for (const Shortage& amount : by_name(resources, amounts)) {
    if (!text.empty()) text += ", ";
    text += people_amount_text(resources, amount.resource, amount.by);
  }
  return text;
}

std::string people_amounts_text(const ResourceTable& resources, const ResourceList& amounts) {
  std::vector<Shortage> items;
  for (const ResourceAmount& item : amounts.items()) {
    if (item.resource != kPods) items.push_back({item.resource, item.amount});
  }
  std::string text = amounts_text(resources, items);
  return text.empty() ? "-" : text;
}

std::string remedy_text(const ResourceTable& resources, const Remedy& remedy,
                        const std::string& place) {
  std::string where = place.empty() ? "" : " in " + place;
  std::string nodes;
  if (remedy.more_nodes > 0) {
    nodes = std::to_string(remedy.more_nodes) + " more node";
    nodes += (remedy.more_nodes == 1 ? "" : "s") + where;
  }
  if (remedy.freed.empty()) return nodes;
  std::string freed = amounts_text(resources, remedy.freed) + " freed";
  return nodes.empty() ? freed + where : nodes + ", or " + freed;
}

namespace {

std::string gangs_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " gang" : " gangs");
}

std::string refusal_text(const VerdictCount& verdict) {
  std::string are = gangs_text(verdict.nodes) + (verdict.nodes == 1 ? " is" : " are");
  const ReasonEntry& entry = reason_entry(verdict.code);
  if (verdict.code == ReasonCode::QueueNotFound) return are + " of a queue that is not there";
  bool says = entry.scope == ReasonScope::Victim;
  return are + " " + (says ? std::string(entry.sentence) : "held by " + std::string(entry.name));
}

std::string refusals_text(const Reason& reason) {
  std::string text;
  for (const VerdictCount& verdict : reason.verdicts) {
    text += (text.empty() ? ": " : ", ") + refusal_text(verdict);
  }
  return text;
}

std::string tried_text(const Reason& reason) {
  return reason.found == 1 ? "1 set of victims was tried"
                           : std::to_string(reason.found) + " sets of victims were tried";
}

std::string what_stopped(const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::VictimsNoFit:
      if (reason.found == 0)
        return "not even all that may be moved makes room" + refusals_text(reason);
      return tried_text(reason) + ", none makes room" + refusals_text(reason);
    case ReasonCode::SearchBudgetExhausted:
      return "the search ended after " + std::to_string(reason.found) +
             (reason.found == 1 ? " set" : " sets") + " of victims; other moves may make room" +
             refusals_text(reason);
    case ReasonCode::NoVictims:
      return "nothing may be moved for it" + refusals_text(reason);
    case ReasonCode::NeverMovesOthers:
    case ReasonCode::PreemptionDelay:
      return std::string(reason_entry(reason.code).sentence);
    case ReasonCode::UnfairExchange:
      return tried_text(reason) + ", none is fair to the queues" + refusals_text(reason);
    default:
      return tried_text(reason) + ", but a PodDisruptionBudget allows no more";
  }
}

}  // namespace

std::string victim_text(const Reason& reason) {
  return std::string(reason.plugin) + ": " + what_stopped(reason);
}

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
    case ReasonCode::Moved:
      return "moved for " + reason.subject;
    case ReasonCode::WaitingForMovedWorkloads:
      return "pending the move of " + std::to_string(reason.found) +
             (reason.found == 1 ? " other" : " others");
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

std::string devices_text(std::span<const DeviceShortage> devices) {
  std::string text;
  for (const DeviceShortage& shortage : devices) {
    if (!text.empty()) text += "; ";
    text += device_text(shortage);
  }
  return text;
}

void write_devices(DocumentWriter& out, std::span<const DeviceShortage> devices) {
  out.begin_array("devices");
  for (const DeviceShortage& shortage : devices) {
    out.begin_object();
    out.field("request", shortage.request);
    out.field("deviceClass", shortage.device_class);
    out.field("count", shortage.wanted);
    out.field("devices", shortage.seen);
    out.field("match", shortage.match);
    out.field("tainted", shortage.tainted);
    out.field("taken", shortage.taken);
    if (shortage.overlapping > 0) out.field("overlapping", shortage.overlapping);
    if (!shortage.holder.empty()) out.field("takenBy", shortage.holder);
    if (!shortage.error.empty()) out.field("error", shortage.error);
    out.end_object();
  }
  out.end_array();
}

}  // namespace trellis
