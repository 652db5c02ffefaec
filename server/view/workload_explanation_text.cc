#include <algorithm>
#include <string_view>
#include <utility>

#include "server/view/domain_output.h"
#include "server/view/explanation.h"
#include "server/view/preference_output.h"
#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/view/waiting.h"
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
  ExplanationText(const Session& session, const Workload& workload, TableForm form)
      : session_(session),
        cluster_(session.cluster()),
        resources_(cluster_.vocabulary().resources),
        strings_(cluster_.vocabulary().strings),
        workload_(workload),
        form_(form) {}

  std::string queue_text(ClusterQueueId id) const {
    std::string text;
    if (workload_.queue.valid())
      text.append(", LocalQueue ").append(strings_.view(workload_.queue));
    if (id.valid()) {
      const ClusterQueue& queue = cluster_.workloads().cluster_queues()[id];
      text += ", ClusterQueue " + queue.name;
      if (queue.cohort.valid()) text.append(" of cohort ").append(strings_.view(*queue.cohort));
    }
    return text + ", priority " + std::to_string(workload_.priority);
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
  std::string bold(const std::string& text) const {
    return styled(text, Style::Bold, form_.colours);
  }

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
    std::vector<DomainId> leaves = assigned_leaves(session_, topology, *set.topology);
    for (int level = 0; level < tree.level_count(); ++level) {
      std::vector<DomainId> used;
      for (DomainId leaf : leaves) {
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
    std::vector<DomainId> leaves = assigned_leaves(session_, topology, assigned);
    for (size_t i = 0; i < std::min(assigned.size(), kRowsShown); ++i) {
      DomainId leaf = leaves[i];
      std::vector<std::string> path;
      for (size_t k = 0; k < width; ++k) {
        path.emplace_back(strings_.view(assigned.values[i * width + k]));
      }
      if (leaf.valid()) path = name_of(session_, {topology, leaf}).path;
      Cell name{path_text(path)};
      if (!leaf.valid()) name = {path_text(path) + " (gone)", Style::Bad};
      table.add_row({std::move(name), {std::to_string(assigned.counts[i])}});
    }
    return table.render(form_) + more_text(assigned.size(), "domains");
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
          return Cell{people_quantity_text(value, resources_.unit(line.resource))};
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
    return table.render(form_);
  }

  std::string room(const std::string& flavor, const FlavorRoom& room) const {
    const Topology& topology = cluster_.topologies()[room.unit.workers.topology];
    std::string text = "\n" + bold("flavor " + flavor + " in topology " + topology.name) + ": ";
    if (!room.error.empty()) return text + room.error + "\n";
    text += room.fits ? "fits\n" : reason_text(cluster_, without_nodes(room.failure)) + "\n";
    text += std::to_string(room.nodes) + (room.nodes == 1 ? " node" : " nodes");
    text += room.left_out.empty() ? ", none left out\n"
                                  : ", left out: " + left_out_text(room.left_out) + "\n";
    text += outlook_text(session_, room.demand, room.help);
    text += "\n" + levels_table(room);
    return text + domains_tables(session_, room.demand, room.details, form_) +
           preferences_text(strings_, room.preferences, form_);
  }

  // The counts of nodes are removed, as they follow in a line of their own.
  static Reason without_nodes(Reason reason) {
    reason.verdicts.clear();
    return reason;
  }

  std::string left_out_text(const std::vector<LeftOut>& left_out) const {
    std::string text;
    for (const LeftOut& left : left_out) {
      text += (text.empty() ? "" : ", ") + std::to_string(left.count.nodes) + " ";
      text += cause_text(cluster_, left);
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
                     {level.best.valid()
                          ? domain_text(name_of(session_, {room.unit.workers.topology, level.best}))
                          : "-"},
                     {count_text(level.pods, room.unit.workers.count)}});
    }
    return table.render(form_);
  }

  const Session& session_;
  const Cluster& cluster_;
  const ResourceTable& resources_;
  const StringTable& strings_;
  const Workload& workload_;
  TableForm form_;
};

}  // namespace

std::string workload_explanation_text(Session& session, const CycleRecord& record, WorkloadId id,
                                      const WorkloadExplanation& explanation, TableForm form) {
  const Cluster& cluster = session.cluster();
  const Workload& workload = cluster.workloads()[id];
  const WorkloadOutcome& outcome = record.workloads[id];
  ExplanationText explained(session, workload, form);
  std::string name = full_name(cluster, id);
  std::string text = styled("workload " + name, Style::Bold, form.colours) + ": " +
                     std::string(to_string(outcome.status)) +
                     explained.queue_text(explanation.queue) +
                     waiting_since_text(waiting_since(cluster, record, id)) + "\n";
  if (outcome.reasons) text += reason_lines(cluster, *outcome.reasons);
  if (const Admission* admission = admission_of(cluster, record, id); admission != nullptr) {
    for (const PodSetAdmission& set : admission->pod_sets) text += explained.assigned(set);
  }
  std::string stands = standing_text(session, where_it_stands(session, record, id, explanation));
  if (!stands.empty()) text += "\n" + stands;
  if (explanation.as_if_gone) text += "\nIf it left, and were to be admitted again:\n";
  for (const PartyExplanation& party : explanation.parties) text += explained.party(party);
  return text;
}

}  // namespace trellis
