#include "server/view/standing_output.h"

#include <algorithm>
#include <vector>

#include "server/text/printable.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

constexpr size_t kStandNodesShown = 3;
constexpr size_t kInTheWayShown = 8;

std::string subgroup_of(const Cluster& cluster, const DemandPart& part) {
  if (!part.subgroup.valid()) return "";
  return "subgroup " + printable(cluster.vocabulary().strings.view(part.subgroup)) + ": ";
}

std::string whose_text(const Session& session, const PartStand& stand) {
  if (stand.pod_sets.empty()) return subgroup_of(session.cluster(), *stand.part);
  std::string text;
  for (StrId name : stand.pod_sets) {
    text += text.empty() ? "PodSet " : ", ";
    text += printable(session.cluster().vocabulary().strings.view(name));
  }
  return text + ": ";
}

// `rack b1/r4`
std::string place_text(const DomainName& name) {
  if (name.topology.empty()) return "the cluster";
  if (name.path.empty()) return "topology " + name.topology;
  return std::string(short_level(name.level)) + " " + path_text(name.path);
}

std::string level_name(const Session& session, DomainRef domain, int level) {
  const Cluster& cluster = session.cluster();
  const Topology& topology = cluster.topologies()[domain.topology];
  StrId label = topology.levels[static_cast<size_t>(level)].label;
  return std::string(short_level(cluster.vocabulary().strings.view(label)));
}

std::string its_pods(int64_t pods) {
  return pods == 1 ? "its pod" : "its " + std::to_string(pods) + " pods";
}

// `, on 16 nodes: n1 n2 n3 +13`
std::string nodes_text(const Cluster& cluster, const PartStand& stand) {
  if (stand.nodes.empty()) return "";
  std::string text = ", on " + std::to_string(stand.nodes.size());
  text += stand.nodes.size() == 1 ? " node:" : " nodes:";
  for (size_t i = 0; i < std::min(kStandNodesShown, stand.nodes.size()); ++i) {
    text += " " + cluster.nodes()[stand.nodes[i].node].name;
  }
  if (stand.nodes.size() <= kStandNodesShown) return text;
  return text + " +" + std::to_string(stand.nodes.size() - kStandNodesShown);
}

std::string room_text(const Session& session, const PartStand& stand, std::string_view how) {
  std::string level = level_name(session, stand.domain, stand.level);
  return std::to_string(stand.able) + " of " + std::to_string(stand.domains) +
         " domains of level " + level + " take " + its_pods(stand.pods) + std::string(how);
}

std::string divided_text(const Session& session, const PartStand& stand) {
  std::string level = level_name(session, stand.domain, stand.level);
  std::string text = "no " + level + " takes all " + std::to_string(stand.pods);
  if (stand.best.domain.valid()) {
    text += " (" + path_text(name_of(session, stand.best).path) +
            " takes most: " + std::to_string(stand.most) + ")";
  }
  return text + "; they are divided among " + std::to_string(stand.used) + " of them";
}

// `the minimum chose: no rack takes all 8 pods; `
std::string chosen_by_text(const Session& session, const PartStand& stand) {
  if (stand.chosen_by == ChosenBy::MinimumHere) return "the minimum chose; ";
  if (stand.chosen_by != ChosenBy::Minimum) return "";
  std::string all = " all " + pods_text(stand.all_pods) + "; ";
  if (stand.required_level < 0) return "the minimum chose: the topology does not take" + all;
  return "the minimum chose: no " + level_name(session, stand.domain, stand.required_level) +
         " takes" + all;
}

std::string place_reason_text(const Session& session, const PartStand& stand) {
  std::string owner = stand.pod_sets.empty() ? "gang" : "workload";
  switch (stand.why) {
    case StandReason::Stays:
      return "they stood there before this cycle";
    case StandReason::Joins:
      return "pods of the " + owner + " stood there before this cycle";
    case StandReason::Preferences:
      return "its placement preferences divide it so";
    case StandReason::Scores:
      return "no level is asked for; each pod has the node with the best score";
    case StandReason::Open:
      return "no level is asked for";
    case StandReason::OnlyOne:
      return "of " + std::to_string(stand.domains) + " domains of level " +
             level_name(session, stand.domain, stand.level) + " no other takes " +
             its_pods(stand.pods);
    case StandReason::LeastRoom:
      return room_text(session, stand, ", and this one keeps least room for more") +
             (stand.pod_sets.empty() ? " (placementStrategy.domain: binpack)" : "");
    case StandReason::MostRoom:
      return room_text(session, stand,
                       ", and this one keeps most room for more (placementStrategy.domain: "
                       "spread)");
    case StandReason::OneOfSeveral:
      return room_text(session, stand, ", and this one the best in the smaller domains inside it");
    case StandReason::Divided:
      return divided_text(session, stand);
  }
  return "";
}

std::string why_text(const Session& session, const PartStand& stand) {
  return chosen_by_text(session, stand) + place_reason_text(session, stand);
}

std::string times_text(int levels) {
  if (levels == 1) return "one level up";
  return std::to_string(levels) + " levels up";
}

std::string largest_text(const Session& session, const DemandPart& part,
                         const PartOutlook& outlook) {
  if (outlook.at_most >= outlook.needed || !outlook.largest.domain.valid()) return "";
  DomainName largest = name_of(session, outlook.largest);
  std::string level(short_level(largest.level));
  return subgroup_of(session.cluster(), part) + "no " + level + " is that large: the largest, " +
         path_text(largest.path) + ", has " + std::to_string(outlook.largest_nodes) +
         (outlook.largest_nodes == 1 ? " node" : " nodes") + ", and an empty " + level +
         " would take " + std::to_string(outlook.if_empty) + " of " + pods_text(outlook.needed) +
         "\n";
}

// `it would fit one level up, in block b2, or with rack as the preferred level`
std::string elsewhere_text(const Session& session, const DemandPart& part,
                           const PartOutlook& outlook) {
  if (!outlook.anywhere) return "";
  std::string text = subgroup_of(session.cluster(), part) + "it would fit ";
  if (outlook.above.domain.valid()) {
    text += times_text(outlook.levels_up) + ", in " + place_text(name_of(session, outlook.above)) +
            ", which takes " + std::to_string(outlook.above_pods) + ", or ";
  }
  std::string level = "that level";  // no node has its label
  if (outlook.largest.domain.valid()) level = short_level(name_of(session, outlook.largest).level);
  return text + "with " + level + " as the preferred level instead of the required one\n";
}

bool is_workload(const Holding& one) { return one.workload.valid(); }

std::string name_in_the_way(const Cluster& cluster, const Holding& one) {
  return one.workload.valid() ? full_name(cluster, one.workload) : full_name(cluster, one.gang);
}

// `these gangs left: default/a (1 pod), default/b (2 pods, not preemptible)`
std::string leavers_text(const Cluster& cluster, std::span<const Holding> all) {
  bool one = all.size() == 1;
  auto workloads = std::count_if(all.begin(), all.end(), is_workload);
  bool mixed = workloads > 0 && workloads < static_cast<std::ptrdiff_t>(all.size());
  std::string text = one ? "this " : "these ";
  text += mixed ? "gangs and workloads" : workloads > 0 ? "workload" : "gang";
  text += one || mixed ? " left: " : "s left: ";
  for (size_t i = 0; i < std::min(all.size(), kInTheWayShown); ++i) {
    if (i > 0) text += ", ";
    if (mixed) text += is_workload(all[i]) ? "workload " : "gang ";
    text += printable(name_in_the_way(cluster, all[i])) + " (" + pods_text(all[i].pods);
    bool stays = !is_workload(all[i]) && !cluster.gangs()[all[i].gang].preemptible;
    text += stays ? ", not preemptible)" : ")";
  }
  if (all.size() <= kInTheWayShown) return text;
  return text + " and " + std::to_string(all.size() - kInTheWayShown) + " more";
}

std::string in_the_way_text(const Session& session, const DemandPart& part, const PartHelp& help) {
  if (help.in_the_way.empty()) return "";
  return subgroup_of(session.cluster(), part) + "it would fit in " +
         place_text(name_of(session, help.nearest)) + " if " +
         leavers_text(session.cluster(), help.in_the_way) + "\n";
}

void write_in_the_way(DocumentWriter& out, const Session& session, const PartHelp& help) {
  if (help.in_the_way.empty()) return;
  const Cluster& cluster = session.cluster();
  out.begin_object("inTheWay");
  write_path(out, name_of(session, help.nearest));
  auto write_all = [&](std::string_view key, bool workloads) {
    out.begin_array(key);
    for (const Holding& one : help.in_the_way) {
      if (one.workload.valid() != workloads) continue;
      out.begin_object();
      out.field("name", name_in_the_way(cluster, one));
      out.field("pods", one.pods);
      if (!workloads) out.field("preemptible", cluster.gangs()[one.gang].preemptible);
      out.end_object();
    }
    out.end_array();
  };
  write_all("gangs", false);
  if (std::ranges::any_of(help.in_the_way, is_workload)) write_all("workloads", true);
  out.end_object();
}

}  // namespace

void write_path(DocumentWriter& out, const DomainName& name) {
  if (!name.topology.empty()) out.field("topology", name.topology);
  if (!name.level.empty()) out.field("level", name.level);
  out.begin_array("path");
  for (const std::string& value : name.path) out.text(value);
  out.end_array();
}

std::string standing_text(const Session& session, std::span<const PartStand> stands) {
  std::string text;
  for (const PartStand& stand : stands) {
    std::string whose =
        stands.size() > 1 || stand.pod_sets.empty() ? whose_text(session, stand) : "";
    text += whose + pods_text(stand.pods);
    text += stand.pods == 1 ? " stands in " : " stand in ";
    text += place_text(name_of(session, stand.domain)) + nodes_text(session.cluster(), stand);
    text += "\n" + whose + "why there: " + why_text(session, stand) + "\n";
  }
  return text;
}

void write_standing(DocumentWriter& out, const Session& session,
                    std::span<const PartStand> stands) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  if (stands.empty()) return;
  out.begin_array("stands");
  for (const PartStand& stand : stands) {
    out.begin_object();
    if (stand.part->subgroup.valid()) out.field("subgroup", strings.view(stand.part->subgroup));
    if (!stand.pod_sets.empty()) {
      out.begin_array("podSets");
      for (StrId name : stand.pod_sets) out.text(strings.view(name));
      out.end_array();
    }
    write_path(out, name_of(session, stand.domain));
    out.begin_array("nodes");
    for (const NodePods& node : stand.nodes) {
      out.begin_object();
      out.field("name", cluster.nodes()[node.node].name);
      out.field("pods", node.pods);
      out.end_object();
    }
    out.end_array();
    if (stand.chosen_by != ChosenBy::NotAsked) {
      out.field("chosenBy", stand.chosen_by == ChosenBy::All ? "all" : "minimum");
    }
    out.field("why", why_text(session, stand));
    out.end_object();
  }
  out.end_array();
}

void write_shortages(DocumentWriter& out, const ResourceTable& resources, std::string_view key,
                     std::span<const Shortage> shortages) {
  out.begin_array(key);
  for (const Shortage& shortage : by_name(resources, shortages)) {
    out.begin_object();
    out.field("resource", resources.name(shortage.resource));
    out.field("by", quantity_text(resources, shortage.resource, shortage.by));
    out.end_object();
  }
  out.end_array();
}

void write_remedy(DocumentWriter& out, const ResourceTable& resources, const Remedy& remedy) {
  if (remedy.empty()) return;
  out.begin_object("remedy");
  if (remedy.more_nodes > 0) out.field("moreNodes", remedy.more_nodes);
  if (!remedy.freed.empty()) write_shortages(out, resources, "freed", remedy.freed);
  out.end_object();
}

void write_help(DocumentWriter& out, const Session& session, const PartHelp& help) {
  if (help.outlook) {
    out.field("largestNodes", help.outlook->largest_nodes);
    if (help.settled) {
      out.field("ifEmpty", help.outlook->if_empty);
      if (help.outlook->above.domain.valid()) {
        out.begin_object("above");
        write_path(out, name_of(session, help.outlook->above));
        out.field("allocatablePods", help.outlook->above_pods);
        out.end_object();
      }
      out.field("preferredWouldDo", help.outlook->anywhere);
    }
  }
  write_in_the_way(out, session, help);
}

std::string outlook_text(const Session& session, const DemandExplanation& explanation,
                         std::span<const PartHelp> helps) {
  std::string text;
  for (size_t i = 0; i < helps.size(); ++i) {
    const DemandPart& part = explanation.parts[i];
    const PartHelp& help = helps[i];
    if (help.outlook) {
      text += largest_text(session, part, *help.outlook);
      if (help.settled) text += elsewhere_text(session, part, *help.outlook);
    }
    text += in_the_way_text(session, part, help);
  }
  return text;
}

void write_outlook(DocumentWriter& out, const Session& session,
                   const DemandExplanation& explanation, std::span<const PartHelp> helps) {
  bool begun = false;
  for (uint32_t part = 0; part < helps.size(); ++part) {
    if (!explanation.fits_nowhere(part)) continue;
    if (!std::exchange(begun, true)) out.begin_array("outlook");
    const DemandPart& asked = explanation.parts[part];
    out.begin_object();
    if (asked.subgroup.valid()) {
      out.field("subgroup", session.cluster().vocabulary().strings.view(asked.subgroup));
    }
    write_help(out, session, helps[part]);
    out.end_object();
  }
  if (begun) out.end_array();
}

void write_domain(DocumentWriter& out, const DomainName& name) {
  out.field("topology", name.topology);
  out.field("level", name.level);
  out.begin_array("domain");
  for (const std::string& value : name.path) out.text(value);
  out.end_array();
}

}  // namespace trellis
