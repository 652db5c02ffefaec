#include "server/wording/reason_text.h"

#include <algorithm>

#include "framework/reason_catalog.h"
#include "server/document/timestamp.h"
#include "server/text/printable.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"

namespace trellis {
namespace {

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

// A node's refusal as text, without the number of nodes.
std::string refusal_text(ReasonCode code, std::string_view resource, std::string_view domain) {
  const ReasonEntry& entry = reason_entry(code);
  if (entry.scope != ReasonScope::Node) return std::string(entry.name);
  if (code != ReasonCode::OutsideDomain) return filled(entry.sentence, resource);
  return filled(entry.sentence, domain.empty() ? "the domain" : domain);
}

std::string nodes_count_text(int64_t nodes) {
  return std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
}

std::string domain_text(const Reason& reason) {
  if (reason.domain.empty()) return "";
  std::string level(short_level(reason.level));
  return (level.empty() ? "" : level + " ") + path_text(reason.domain);
}

std::string resource_name(const Cluster& cluster, ResourceId id) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  return id.value < resources.size() ? resources.name(id) : "a resource";
}

std::string no_nodes_fit(const Cluster& cluster, const Reason& reason) {
  std::string nodes = nodes_text(cluster, reason);
  if (reason.needed <= 1) return nodes;
  return "needs " + pods_text(reason.needed) + ", " + std::to_string(reason.found) + " fit; " +
         nodes;
}

std::string no_domain_fits(const Cluster& cluster, const Reason& reason) {
  std::string level(short_level(reason.level));
  std::string text =
      "no " + (level.empty() ? "domain" : level) + " of topology " + reason.topology + " takes ";
  bool none = reason.found == 0 && reason.needed > 1;
  text += (none ? "any of " : "") + pods_text(reason.needed);
  if (!reason.subject.empty()) text += " in " + reason.subject;
  if (reason.found >= reason.needed) {
    text += " beside the rest of the gang";
  } else if (!none && !reason.domain.empty()) {
    text += ": the best, " + path_text(reason.domain) + ", takes " + std::to_string(reason.found);
  }
  bool counted = !reason.verdicts.empty() || reason.limit.nodes > 0;
  if (counted) text += "; " + nodes_text(cluster, reason);
  return text;
}

std::string subgroup_limit_text(const Reason& reason) {
  bool levels = reason.subject == "levels";
  return grouped_text(reason.found) + (levels ? " subgroups inside each other" : " subgroups") +
         ": at most " + grouped_text(reason.needed);
}

std::string out_of_budget(const Reason& reason) {
  std::string text = "the search budget ran out before a place was found or ruled out";
  if (reason.needed == 0) return text;
  return text + " for " + pods_text(reason.needed) + "; at best " + std::to_string(reason.found) +
         " fitted";
}

std::string level_order(const Reason& reason) {
  if (!reason.level.empty()) {
    return "the level " + in_quotes(reason.subject) + " is coarser than the level " +
           in_quotes(short_level(reason.level)) + " that is required around it";
  }
  std::string text = "the preferred level ";
  if (!reason.subject.empty()) text += in_quotes(reason.subject) + " ";
  return text + "is coarser than the required level";
}

std::string level_unknown(const Reason& reason) {
  std::string topology = reason.topology.empty() ? "the topology" : "topology " + reason.topology;
  return topology + " has no level " + in_quotes(reason.subject);
}

std::string needs_but(const Reason& reason, std::string_view rest) {
  if (reason.needed == 0) return std::string(rest);
  return "needs " + pods_text(reason.needed) + ", " + std::to_string(reason.found) + " " +
         std::string(rest);
}

bool is_of_queue(ReasonCode code) {
  return code == ReasonCode::QueueOverLimit || code == ReasonCode::QueueOverQuota ||
         code == ReasonCode::QueueOverFairShare;
}

// `queue "research" would pass its limit of 8 gpu: it holds 6, 4 more are asked for`
std::string over_bound(const Reason& reason, std::string_view bound) {
  const QueueBound& of = reason.bound;
  auto amount = [&](int64_t value) { return queue_amount_text(of.resource, value); };
  std::string held = reason.code == ReasonCode::QueueOverQuota ? " not preemptible" : "";
  std::string name(to_string(of.resource));
  name = of.resource == QueueResource::Cpu ? "" : " " + name;  // the amount is one of cores
  return (reason.subject.empty() ? "its queue" : "queue " + in_quotes(reason.subject)) +
         " would pass its " + std::string(bound) + " of " + amount(of.allowed) + name +
         ": it holds " + amount(of.held) + held + ", " + amount(of.asked) + " more are asked for";
}

void write_bound(DocumentWriter& out, const QueueBound& bound) {
  out.field("resource", to_string(bound.resource));
  out.field("asked", in_queue_units(bound.resource, bound.asked));
  out.field("held", in_queue_units(bound.resource, bound.held));
  out.field("allowed", in_queue_units(bound.resource, bound.allowed));
}

// A search that ended early is that of an action for victims, or that of the gang for a place.
bool is_about_victims(const Reason& reason) {
  bool ended = reason.code == ReasonCode::SearchBudgetExhausted && !reason.plugin.empty();
  return ended || reason_entry(reason.code).scope == ReasonScope::Move;
}

void write_verdicts(DocumentWriter& out, const Cluster& cluster, const Reason& reason) {
  out.begin_array("verdicts");
  for (const VerdictCount& verdict : reason.verdicts) {
    out.begin_object();
    out.field("code", to_string(verdict.code));
    if (!verdict.plugin.empty()) out.field("plugin", verdict.plugin);
    if (verdict.code == ReasonCode::InsufficientResource) {
      out.field("resource", resource_name(cluster, verdict.resource));
    }
    out.field(is_about_victims(reason) ? "gangs" : "nodes", verdict.nodes);
    if (cluster.nodes().contains(verdict.example)) {
      out.field("example", cluster.nodes()[verdict.example].name);
    }
    out.end_object();
  }
  out.end_array();
}

bool counts_pods(ReasonCode code) {
  return code == ReasonCode::NotEnoughPods || code == ReasonCode::NotEnoughSubgroups ||
         code == ReasonCode::SchedulingGated || code == ReasonCode::NodesNoFit ||
         code == ReasonCode::TopologyNoFit || code == ReasonCode::PlacementSkew ||
         code == ReasonCode::SearchBudgetExhausted;
}

void write_quota(DocumentWriter& out, const Cluster& cluster, const Reason& reason) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  out.begin_array("quota");
  for (const QuotaShortage& shortage : reason.quota) {
    out.begin_object();
    out.field("flavor", shortage.flavor);
    out.field("resource", resources.name(shortage.resource));
    out.field("asked", quantity_text(resources, shortage.resource, shortage.asked));
    out.field("available", quantity_text(resources, shortage.resource, shortage.available));
    out.end_object();
  }
  out.end_array();
}

void write_moved(DocumentWriter& out, const Reason& reason) {
  out.field("gainedGPUs", static_cast<double>(reason.found) / kMilli);
  out.field("movedGPUs", static_cast<double>(reason.needed) / kMilli);
  out.field("gangs", reason.nodes);
}

void write_details(DocumentWriter& out, const Cluster& cluster, const Reason& reason) {
  out.begin_object("details");
  if (!reason.subgroup.empty()) out.field("subgroup", reason.subgroup);
  if (!reason.subject.empty()) out.field("subject", reason.subject);
  if (!reason.topology.empty()) out.field("topology", reason.topology);
  if (!reason.level.empty()) out.field("level", reason.level);
  if (!reason.domain.empty()) {
    out.begin_array("domain");
    for (const std::string& value : reason.domain) out.text(value);
    out.end_array();
  }
  if (counts_pods(reason.code) && !is_about_victims(reason)) {
    out.field("needed", reason.needed);
    out.field("found", reason.found);
  }
  if (reason.code == ReasonCode::MovedForRoom) write_moved(out, reason);
  if (is_of_queue(reason.code)) write_bound(out, reason.bound);
  if (is_about_victims(reason)) {
    if (reason.found > 0) out.field("tried", reason.found);
  } else if (reason.code != ReasonCode::MovedForRoom &&
             (reason.nodes > 0 || !reason.verdicts.empty())) {
    out.field("nodes", reason.nodes);
  }
  if (reason.at != kNoTime) out.field("at", format_timestamp(reason.at));
  if (!reason.verdicts.empty()) write_verdicts(out, cluster, reason);
  if (reason.limit.nodes > 0) write_limit(out, reason.limit);
  if (!reason.flavor.empty()) out.field("flavor", reason.flavor);
  if (!reason.quota.empty()) write_quota(out, cluster, reason);
  out.end_object();
}

// For a gang that a reservation keeps out; without a subject, for the gang that has the
// reservation.
std::string reservation_text(const Reason& reason) {
  std::string domain = domain_text(reason);
  std::string place = domain.empty() ? std::to_string(reason.nodes) + " nodes" : domain;
  if (reason.subject.empty()) {
    return place + " kept for it: it has waited long, and gangs behind it in its queue stay out";
  }
  return place + " kept for gang " + reason.subject + ", which goes before it and has waited long";
}

// `starts at 2026-01-01T14:20:00Z at the latest in rack b1/r3, after gang research/vision ends`
std::string appointment_text(const Reason& reason) {
  std::string domain = domain_text(reason);
  std::string place = domain.empty() ? "on " + nodes_count_text(reason.nodes) : "in " + domain;
  std::string text = "starts at " + format_timestamp(reason.at) + " at the latest " + place;
  return reason.subject.empty() ? text : text + ", after gang " + reason.subject + " ends";
}

// Of a place that is kept from the gang; an action that moves gangs would make room there.
std::string place_text(const Reason& reason) {
  return reason.plugin.empty() ? "has a place now" : "has a place once others leave";
}

std::string behind_text(const Reason& reason) {
  return place_text(reason) + ", and may run past " + format_timestamp(reason.at) + ", when gang " +
         reason.subject + " is to start there";
}

std::string reserved_text(const Reason& reason) {
  return place_text(reason) + ", on nodes that Reservation " + in_quotes(reason.subject) +
         " keeps for others from " + format_timestamp(reason.at) + " on";
}

// Amounts are thousandths of GPUs; `nodes` counts the gangs that move together.
std::string moved_text(const Reason& reason) {
  std::string text = "moves so that more fits: " + milli_text(reason.found) + " GPUs gained, " +
                     milli_text(reason.needed) + " moved";
  if (reason.nodes < 2) return text;
  return text + " with " + std::to_string(reason.nodes - 1) +
         (reason.nodes == 2 ? " other gang" : " other gangs");
}

std::string late_report_text(const Reason& reason) {
  std::string nodes = "node " + in_quotes(reason.subject);
  if (reason.nodes > 1) nodes += " and " + std::to_string(reason.nodes - 1) + " more";
  return "waiting for the next NUMA report of " + nodes +
         ": the last one still shows pods that have left";
}

// The text of a code whose message has no figures of its own.
std::string plain_text(const Cluster& cluster, const Reason& reason) {
  const ReasonEntry& entry = reason_entry(reason.code);
  if (entry.scope == ReasonScope::Workload) return workload_text(cluster, reason);
  if (entry.scope == ReasonScope::Move) return victim_text(reason);
  bool says = entry.scope == ReasonScope::Gang && !entry.sentence.empty();
  return says ? filled(entry.sentence, in_quotes(reason.subject)) : nodes_text(cluster, reason);
}

std::string text_without_subgroup(const Cluster& cluster, const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::StaleGang:
      return "the gang ran below its minimum for longer than its grace period; " +
             std::to_string(reason.found) + (reason.found == 1 ? " pod" : " pods") + " evicted";
    case ReasonCode::TopologyNotFound:
      return "topology " + in_quotes(reason.subject.empty() ? reason.topology : reason.subject) +
             " does not exist";
    case ReasonCode::LevelUnknown:
      return level_unknown(reason);
    case ReasonCode::LevelOrder:
      return level_order(reason);
    case ReasonCode::NotEnoughPods:
      return needs_but(reason, reason.needed == 0 ? "too few pods exist" : "exist");
    case ReasonCode::NotEnoughSubgroups:
      return "needs " + std::to_string(reason.needed) + " groups, " + std::to_string(reason.found) +
             (reason.found == 1 ? " exists" : " exist");
    case ReasonCode::SchedulingGated:
      return needs_but(
          reason, reason.needed == 0 ? "held by scheduling gates" : "free of scheduling gates");
    case ReasonCode::PlacementSkew:
      return needs_but(reason, "keep its hard placement preference");
    case ReasonCode::NodesNoFit:
      return no_nodes_fit(cluster, reason);
    case ReasonCode::TopologyNoFit:
      return no_domain_fits(cluster, reason);
    case ReasonCode::SearchBudgetExhausted:
      return is_about_victims(reason) ? victim_text(reason) : out_of_budget(reason);
    case ReasonCode::SubgroupUnknown:
      return reason.subject.empty() ? "a pod names no subgroup"
                                    : "a pod names " + in_quotes(reason.subject) +
                                          ", which is no leaf of its subgroups";
    case ReasonCode::SubgroupLimit:
      return subgroup_limit_text(reason);
    case ReasonCode::SegmentSizes:
      return "wrong segments: " + reason.subject;
    case ReasonCode::QueueOverLimit:
      return over_bound(reason, "limit");
    case ReasonCode::QueueOverQuota:
      return over_bound(reason, "quota");
    case ReasonCode::QueueOverFairShare:
      return over_bound(reason, "fair share");
    case ReasonCode::ReservedForOther:
      return reservation_text(reason);
    case ReasonCode::StartAppointed:
      return appointment_text(reason);
    case ReasonCode::BehindAppointment:
      return behind_text(reason);
    case ReasonCode::NodesReserved:
      return reserved_text(reason);
    case ReasonCode::PassedOver:
      return "gang " + reason.subject + ", which is equal in rank, has its room: so more is in use";
    case ReasonCode::WaitingForZoneReport:
      return late_report_text(reason);
    case ReasonCode::MovedForRoom:
      return moved_text(reason);
    case ReasonCode::InvalidObject:
      return reason.subject.empty() ? "its description has an error" : reason.subject;
    default:
      return plain_text(cluster, reason);
  }
}

// `node-0 lacks 2 cpu, 1 GPU; node-1 lacks 4 cpu`
std::string parts_text(const Cluster& cluster, std::span<const PartShortage> parts) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    bool same = i > 0 && parts[i].part == parts[i - 1].part;
    if (i > 0) text += same ? ", " : "; ";
    if (!same) text += parts[i].part + " lacks ";
    text += amount_text(resources, parts[i].resource, parts[i].short_by);
  }
  return text;
}

void write_parts(DocumentWriter& out, const ResourceTable& resources,
                 std::span<const PartShortage> parts) {
  out.begin_array("zones");
  for (size_t first = 0; first < parts.size();) {
    size_t last = first;
    out.begin_object();
    out.field("zone", parts[first].part);
    out.begin_array("short");
    for (; last < parts.size() && parts[last].part == parts[first].part; ++last) {
      out.begin_object();
      out.field("resource", resources.name(parts[last].resource));
      out.field("by", quantity_text(resources, parts[last].resource, parts[last].short_by));
      out.end_object();
    }
    out.end_array();
    out.end_object();
    first = last;
  }
  out.end_array();
}

}  // namespace

// `2 would take more but for their NUMA zones`
std::string limit_text(const VerdictCount& limit) {
  std::string_view cause = limit.plugin == "numa"          ? "their NUMA zones"
                           : limit.plugin == "predicates"  ? "host ports"
                           : limit.plugin == "podaffinity" ? "pod anti-affinity"
                           : limit.plugin == "placementpreferences"
                               ? "the most pods of the service on a node"
                               : limit.plugin;
  return std::to_string(limit.nodes) + " would take more but for " + std::string(cause);
}

void write_limit(DocumentWriter& out, const VerdictCount& limit) {
  out.begin_object("limited");
  out.field("plugin", limit.plugin);
  out.field("nodes", limit.nodes);
  out.end_object();
}

std::string_view short_level(std::string_view label) {
  size_t slash = label.rfind('/');
  return slash == std::string_view::npos ? label : label.substr(slash + 1);
}

std::string path_text(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& value : path) {
    if (!text.empty()) text += '/';
    text += value;
  }
  return printable(text);
}

std::string filled(std::string_view sentence, std::string_view subject) {
  std::string text(sentence);
  if (size_t at = text.find('%'); at != std::string::npos) text.replace(at, 1, subject);
  return text;
}

std::string nodes_text(const Cluster& cluster, const Reason& reason) {
  int64_t refusing = 0;
  for (const VerdictCount& verdict : reason.verdicts) refusing += verdict.nodes;
  std::string text = std::to_string(std::max<int64_t>(0, reason.nodes - refusing)) + "/" +
                     std::to_string(reason.nodes) + " nodes";
  std::string_view separator = ": ";
  for (const VerdictCount& verdict : reason.verdicts) {
    text.append(separator).append(std::to_string(verdict.nodes)).append(" ");
    text +=
        refusal_text(verdict.code, resource_name(cluster, verdict.resource), domain_text(reason));
    separator = ", ";
  }
  if (reason.limit.nodes > 0) text.append(separator) += limit_text(reason.limit);
  return text;
}

std::string reason_text(const Cluster& cluster, const Reason& reason) {
  std::string text = text_without_subgroup(cluster, reason);
  return printable(reason.subgroup.empty() ? text : "subgroup " + reason.subgroup + ": " + text);
}

std::string reason_text(const Cluster& cluster, const NodeReason& reason) {
  std::string text = refusal_text(reason.code, resource_name(cluster, reason.resource), "");
  if (reason.container.valid()) {
    text.append(" for container ").append(cluster.vocabulary().strings.view(reason.container));
  }
  text = printable(text);
  if (!reason.parts.empty()) return text + ": " + printable(parts_text(cluster, reason.parts));
  if (!reason.devices.empty()) return text + ": " + printable(devices_text(reason.devices));
  if (reason.code != ReasonCode::InsufficientResource || reason.short_by <= 0) return text;
  return text + ": " +
         people_quantity_text(reason.short_by,
                              cluster.vocabulary().resources.unit(reason.resource)) +
         " short";
}

void write_reason(DocumentWriter& out, const Cluster& cluster, const Reason& reason) {
  out.begin_object();
  out.field("code", to_string(reason.code));
  if (!reason.plugin.empty()) out.field("plugin", reason.plugin);
  out.field("message", reason_text(cluster, reason));
  write_details(out, cluster, reason);
  out.end_object();
}

void write_reasons(DocumentWriter& out, const Cluster& cluster, std::span<const Reason> reasons) {
  out.begin_array("reasons");
  for (const Reason& reason : reasons) write_reason(out, cluster, reason);
  out.end_array();
}

std::string reason_lines(const Cluster& cluster, std::span<const Reason> reasons) {
  std::string text;
  for (const Reason& reason : reasons) {
    text.append(to_string(reason.code)).append(": ").append(reason_text(cluster, reason)) += "\n";
  }
  return text;
}

std::string reasons_text(const Cluster& cluster, std::span<const Reason> reasons) {
  std::string text;
  for (const Reason& reason : reasons) {
    if (!text.empty()) text += "; ";
    text += reason_text(cluster, reason);
  }
  return text;
}

void write_reason(DocumentWriter& out, const Cluster& cluster, const NodeReason& reason) {
  out.begin_object();
  out.field("code", to_string(reason.code));
  if (!reason.plugin.empty()) out.field("plugin", reason.plugin);
  out.field("message", reason_text(cluster, reason));
  if (reason.container.valid()) {
    out.field("container", cluster.vocabulary().strings.view(reason.container));
  }
  if (!reason.parts.empty()) write_parts(out, cluster.vocabulary().resources, reason.parts);
  if (!reason.devices.empty()) write_devices(out, reason.devices);
  out.end_object();
}

}  // namespace trellis
