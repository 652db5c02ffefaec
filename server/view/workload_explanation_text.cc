#include <algorithm>
#include <string_view>
#include <utility>

#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/view/workload_explanation.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

Cell verdict_cell(const FlavorExplanation& flavor) {
  switch (flavor.mode) {
    case FlavorMode::Fit:
      return {flavor.borrowing > 0 ? "fits, borrowing" : "fits", Style::Good};
    case FlavorMode::Reclaim:
      return {"if its cohort gives way", Style::Waiting};
    case FlavorMode::Preempt:
      return {"if its queue gives way", Style::Waiting};
    case FlavorMode::NoCandidates:
      return {"no workload gives way", Style::Bad};
    case FlavorMode::NoFit:
      break;
  }
  return {"no", Style::Bad};
}

class ExplanationText {
 public:
  ExplanationText(const Session& session, const Workload& workload, Colours colours)
      : session_(session),
        cluster_(session.cluster()),
        resources_(cluster_.vocabulary().resources),
        strings_(cluster_.vocabulary().strings),
        workload_(workload),
        colours_(colours) {}

  std::string queue_text(ClusterQueueId id) const {
    std::string text;
    if (workload_.queue.valid())
      text.append(", LocalQueue ").append(strings_.view(workload_.queue));
    if (id.valid()) {
      const ClusterQueue& queue = cluster_.workloads().cluster_queues()[id];
      text += ", ClusterQueue " + queue.name;
      if (queue.cohort.valid()) text.append(" of cohort ").append(strings_.view(*queue.cohort));
    }
    return text + ", priority " + std::to_string(workload_.priority) + "\n";
  }

  std::string assigned(const PodSetAdmission& set) const {
    std::string text = "\n" + bold("PodSet " + std::string(strings_.view(set.name))) + ": " +
                       pods_text(set.count) + ", with";
    std::vector<std::string> flavors;
    for (const auto& [resource, flavor] : set.flavors) {
      flavors.push_back(resources_.name(resource) + "=" + std::string(strings_.view(flavor)));
    }
    std::sort(flavors.begin(), flavors.end());
    for (const std::string& flavor : flavors) text += " " + flavor;
    if (set.flavors.empty()) text += " no quota";
    if (!set.topology) return text + "\n";
    return text + where(set) + "\n" + domains(set);
  }

  std::string party(const PartyExplanation& party) const {
    std::string text = "\n";
    for (uint32_t i : party.pod_sets) text += asked(workload_.pod_sets[i]);
    if (party.uncovered.code != ReasonCode::None) {
      return text + reason_text(cluster_, party.uncovered) + "\n";
    }
    if (party.flavors.empty()) return text + "it asks for nothing that has a quota\n";
    text += quotas(party);
    for (const FlavorExplanation& flavor : party.flavors) {
      if (flavor.room) text += room(flavor.name, *flavor.room);
    }
    return text;
  }

 private:
  std::string bold(const std::string& text) const { return styled(text, Style::Bold, colours_); }

  // `PodSet main: 4 pods of 1 cpu, 200Mi memory each, required rack`
  std::string asked(const PodSet& set) const {
    std::vector<Shortage> each;
    for (const ResourceAmount& item : set.spec.requests.items()) {
      if (item.resource != kPods) each.push_back({item.resource, item.amount});
    }
    std::string text =
        bold("PodSet " + std::string(strings_.view(set.name))) + ": " + pods_text(set.count);
    if (!each.empty()) text += " of " + amounts_text(resources_, each);
    const TopologyRequest& request = set.topology;
    if (request.required.valid()) text += ", required " + level_text(request.required);
    if (request.preferred.valid()) text += ", preferred " + level_text(request.preferred);
    if (request.balanced) text += ", balanced";
    if (request.unconstrained) text += ", unconstrained";
    for (const SegmentLayer& layer : request.segments) {
      text += ", in segments of " + std::to_string(layer.size) + " in one " +
              level_text(layer.required);
    }
    return text + "\n";
  }

  std::string level_text(StrId label) const {
    return std::string(short_level(strings_.view(label)));
  }

  DomainId domain_of(const PodSetAdmission& set, TopologyId topology, size_t i) const {
    const TopologyAssignment& assigned = *set.topology;
    size_t width = assigned.levels.size();
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    return ledger.slots().find(session_.snapshot().trees()[topology], topology,
                               cluster_.topologies()[topology], strings_, assigned.levels,
                               std::span(assigned.values).subspan(i * width, width));
  }

  TopologyId topology_of(const PodSetAdmission& set) const {
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    return ledger.topology_of(cluster_, ledger.placed_flavor(cluster_, set));
  }

  // `: 1 block, 2 rack, 5 hostname`
  std::string where(const PodSetAdmission& set) const {
    TopologyId topology = topology_of(set);
    if (!topology.valid()) return "";
    const TopologyTree& tree = session_.snapshot().trees()[topology];
    std::string text = "; topology " + cluster_.topologies()[topology].name + ", domains used:";
    for (int level = 0; level < tree.level_count(); ++level) {
      std::vector<DomainId> used;
      for (size_t i = 0; i < set.topology->size(); ++i) {
        DomainId leaf = domain_of(set, topology, i);
        if (leaf.valid()) used.push_back(tree.ancestor(leaf, level));
      }
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      StrId label = cluster_.topologies()[topology].levels[static_cast<size_t>(level)].label;
      text += (level == 0 ? " " : ", ") + std::to_string(used.size()) + " " + level_text(label);
    }
    return text;
  }

  std::string domains(const PodSetAdmission& set) const {
    TopologyId topology = topology_of(set);
    TextTable table({{"DOMAIN"}, {"PODS", Align::Right}});
    const TopologyAssignment& assigned = *set.topology;
    size_t width = assigned.levels.size();
    for (size_t i = 0; i < std::min(assigned.size(), kRowsShown); ++i) {
      DomainId leaf = topology.valid() ? domain_of(set, topology, i) : DomainId();
      std::vector<std::string> path;
      for (size_t k = 0; k < width; ++k) {
        path.emplace_back(strings_.view(assigned.values[i * width + k]));
      }
      if (leaf.valid()) path = name_of(session_, {topology, leaf}).path;
      Cell name{path_text(path)};
      if (!leaf.valid()) name = {path_text(path) + " (gone)", Style::Bad};
      table.add_row({std::move(name), {std::to_string(assigned.counts[i])}});
    }
    return table.render(colours_) + more_text(assigned.size(), "domains");
  }

  std::string quotas(const PartyExplanation& party) const {
    TextTable table({{"FLAVOR"},
                     {"QUOTA"},
                     {"RESOURCE"},
                     {"ASKED", Align::Right},
                     {"NOMINAL", Align::Right},
                     {"USED", Align::Right},
                     {"AVAILABLE", Align::Right},
                     {"MOST", Align::Right},
                     {"WHY"}});
    for (const FlavorExplanation& flavor : party.flavors) {
      bool first = true;
      for (const QuotaExplanation& line : flavor.amounts) {
        auto amount = [&](int64_t value) {
          return Cell{quantity_text(resources_, line.resource, value)};
        };
        std::string asked = amount(line.asked).text;
        if (line.before > 0) asked = amount(line.before).text + " + " + asked;
        std::string why = flavor.reason.code == ReasonCode::None || !first
                              ? ""
                              : reason_text(cluster_, flavor.reason);
        table.add_row({{first ? flavor.name : ""},
                       first ? verdict_cell(flavor) : Cell(),
                       {resources_.name(line.resource)},
                       {std::move(asked)},
                       amount(line.nominal),
                       amount(line.used),
                       amount(line.available),
                       amount(line.most),
                       {std::move(why)}});
        first = false;
      }
    }
    return table.render(colours_);
  }

  std::string room(const std::string& flavor, const FlavorRoom& room) const {
    const Topology& topology = cluster_.topologies()[room.unit.workers.topology];
    std::string text = "\n" + bold("flavor " + flavor + " in topology " + topology.name) + ": ";
    if (!room.error.empty()) return text + room.error + "\n";
    text += room.fits ? "fits\n" : reason_text(cluster_, without_nodes(room.failure)) + "\n";
    text += std::to_string(room.nodes) + (room.nodes == 1 ? " node" : " nodes");
    text += room.left_out.empty() ? ", none left out\n"
                                  : ", left out: " + left_out_text(room.left_out) + "\n";
    text += "\n" + levels_table(room) + "\n" + domains_table(room);
    return text + help_text(session_, room.part, room.help);
  }

  // The counts of nodes are removed, as they follow in a line of their own.
  static Reason without_nodes(Reason reason) {
    reason.verdicts.clear();
    return reason;
  }

  std::string left_out_text(const std::vector<LeftOut>& left_out) const {
    std::string text;
    for (const LeftOut& left : left_out) {
      const VerdictCount& count = left.count;
      if (!text.empty()) text += ", ";
      text += std::to_string(count.nodes) + " ";
      text += reason_text(cluster_, NodeReason{count.code, count.plugin, count.resource, 0});
      if (left.label.valid()) text += " (" + level_text(left.label) + ")";
    }
    return text;
  }

  std::string levels_table(const FlavorRoom& room) const {
    const Topology& topology = cluster_.topologies()[room.unit.workers.topology];
    TextTable table({{"LEVEL"},
                     {"DOMAINS", Align::Right},
                     {"TAKE ALL", Align::Right},
                     {"BEST"},
                     {"PODS", Align::Right}});
    for (const LevelRoom& level : room.levels) {
      std::string name = "(all)";
      if (level.level >= 0) {
        name = level_text(topology.levels[static_cast<size_t>(level.level)].label);
      }
      table.add_row({{std::move(name)},
                     {std::to_string(level.domains)},
                     {std::to_string(level.able)},
                     {level.best.valid() ? domain_name(room, level.best) : "-"},
                     {count_text(level.pods, room.unit.workers.count)}});
    }
    return table.render(colours_);
  }

  std::string domain_name(const FlavorRoom& room, DomainId domain) const {
    DomainName name = name_of(session_, {room.unit.workers.topology, domain});
    return name.path.empty() ? name.topology : path_text(name.path);
  }

  // The domains that fit, then the nearest misses.
  static std::vector<const FlavorDomain*> by_nearness(const FlavorRoom& room) {
    std::vector<const FlavorDomain*> domains;
    for (const FlavorDomain& domain : room.domains) domains.push_back(&domain);
    std::stable_sort(domains.begin(), domains.end(),
                     [](const FlavorDomain* a, const FlavorDomain* b) {
                       return std::pair(a->fits, a->pods) > std::pair(b->fits, b->pods);
                     });
    return domains;
  }

  std::string domains_table(const FlavorRoom& room) const {
    bool segmented = !room.unit.segments.empty();
    std::vector<TextTable::Column> columns = {
        {"LEVEL"}, {"DOMAIN"}, {"FITS"}, {"PODS", Align::Right}};
    if (segmented) columns.push_back({"SEGMENTS", Align::Right});
    columns.push_back({"SHORT OF"});
    if (!room.fits) columns.push_back({"WHAT WOULD HELP"});
    columns.push_back({"NODES LEFT OUT"});
    TextTable table(std::move(columns));
    std::vector<const FlavorDomain*> domains = by_nearness(room);
    for (size_t i = 0; i < std::min(domains.size(), kRowsShown); ++i) {
      const FlavorDomain& line = *domains[i];
      DomainName name = name_of(session_, {room.unit.workers.topology, line.domain});
      std::vector<Cell> row = {{name.level.empty() ? "-" : std::string(short_level(name.level))},
                               {domain_name(room, line.domain)},
                               fits_cell(line),
                               {count_text(line.pods, room.unit.workers.count)}};
      if (segmented) row.push_back({count_text(line.segments.takes, line.segments.needed)});
      row.push_back({shortage_text(line)});
      if (!room.fits) {
        std::string help = remedy_text(resources_, line.remedy, domain_name(room, line.domain));
        row.push_back({help.empty() ? "-" : std::move(help)});
      }
      row.push_back({line.left_out.empty() ? "-" : left_out_text(line.left_out)});
      table.add_row(std::move(row));
    }
    return table.render(colours_) + more_text(domains.size(), "domains");
  }

  static Cell fits_cell(const FlavorDomain& line) {
    if (!line.fits) return {"no", Style::Bad};
    return {line.proved ? "yes" : "by count", Style::Good};
  }

  std::string shortage_text(const FlavorDomain& line) const {
    std::string text = amounts_text(resources_, line.shortages);
    if (!line.fits && line.later_pods > line.pods) {
      text += (text.empty() ? "" : "; ") + std::to_string(line.later_pods) +
              " once pods that leave have left";
    }
    if (!text.empty() || line.fits) return text.empty() ? "-" : text;
    if (line.segments.takes < line.segments.needed) return "room for whole segments";
    return line.leaders >= 0 ? "room for workers and leader together" : "-";
  }

  const Session& session_;
  const Cluster& cluster_;
  const ResourceTable& resources_;
  const StringTable& strings_;
  const Workload& workload_;
  Colours colours_;
};

}  // namespace

std::string workload_explanation_text(const Session& session, const CycleRecord& record,
                                      WorkloadId id, const WorkloadExplanation& explanation,
                                      Colours colours) {
  const Cluster& cluster = session.cluster();
  const Workload& workload = cluster.workloads()[id];
  const WorkloadOutcome& outcome = record.workloads[id];
  ExplanationText explained(session, workload, colours);
  std::string name = full_name(cluster, id);
  std::string text = styled("workload " + name, Style::Bold, colours) + ": " +
                     std::string(to_string(outcome.status)) +
                     explained.queue_text(explanation.queue);
  if (outcome.reasons) {
    for (const Reason& reason : *outcome.reasons) {
      text.append(to_string(reason.code)).append(": ").append(reason_text(cluster, reason)) += "\n";
    }
  }
  if (const Admission* admission = admission_of(cluster, record, id); admission != nullptr) {
    for (const PodSetAdmission& set : admission->pod_sets) text += explained.assigned(set);
  }
  if (explanation.as_if_gone) text += "\nIf it left, and were to be admitted again:\n";
  for (const PartyExplanation& party : explanation.parties) text += explained.party(party);
  return text;
}

}  // namespace trellis
