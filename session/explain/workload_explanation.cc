#include "session/explain/workload_explanation.h"

#include <algorithm>
#include <utility>

#include "framework/quota_arithmetic.h"
#include "session/cycle/session_workloads.h"

namespace trellis {
namespace {

constexpr size_t kMostFlavors = 64;

class WorkloadJudge {
 public:
  WorkloadJudge(Session& session, WorkloadId workload, FitMode mode,
                WorkloadExplanation& explanation)
      : session_(session),
        ledger_(session.snapshot().workloads()),
        records_(session.cluster().workloads()),
        rules_(*session.hooks().quota_rules),
        workload_(workload),
        mode_(mode),
        explanation_(explanation),
        asks_(session) {}

  void judge() {
    asks_.begin(workload_, explanation_.queue);
    for (const WorkloadAsks::Party& party : asks_.parties()) judge_party(party);
  }

 private:
  void judge_party(const WorkloadAsks::Party& party) {
    PartyExplanation& explained = explanation_.parties.emplace_back();
    explained.pod_sets.assign(party.begin(), party.end());
    for (size_t set : party) {
      explained.uncovered = asks_.uncovered(set);
      if (explained.uncovered.code != ReasonCode::None) return;
    }
    int64_t asked_groups = 0;
    for (const ResourceGroup& group : asks_.groups()) {
      asked_groups += asks_.usage(party, group).empty() ? 0 : 1;
    }
    for (size_t group = 0; group < asks_.groups().size(); ++group) {
      size_t first = explained.flavors.size();
      judge_group(party, group, explained);
      if (asked_groups == 1) check_topologies(party, explained);
      for (size_t i = first; i < explained.flavors.size(); ++i) {
        judge_nodes(party, explained.flavors[i]);
      }
      give_best(std::span(explained.flavors).subspan(first));
    }
  }

  void judge_group(const WorkloadAsks::Party& party, size_t group, PartyExplanation& explained) {
    const ResourceGroup& written = asks_.groups()[group];
    ResourceList amounts = asks_.usage(party, written);
    if (amounts.empty()) return;
    std::vector<const PodSpec*> specs = asks_.specs(party);
    std::vector<FlavorExplanation> unsuited;
    uint64_t left_out = 0;
    for (size_t i = 0; i < std::min(written.flavors.size(), kMostFlavors); ++i) {
      FlavorId id = ledger_.flavor(written.flavors[i].flavor);
      std::string error = id.valid() ? asks_.topology_error(party, records_.flavors()[id]) : "";
      if (error.empty()) continue;
      left_out |= uint64_t{1} << i;
      FlavorExplanation& flavor = unsuited.emplace_back();
      describe(written.flavors[i], amounts, flavor);
      flavor.reason = {.code = ReasonCode::NoMatchingFlavor, .plugin = "quota"};
      flavor.reason.subject = std::move(error);
    }
    FlavorAsk ask{explanation_.queue, workload_, group, specs, amounts.items(), taken_, left_out};
    std::vector<FlavorOption> options;
    rules_.options(ask, options);
    for (const FlavorOption& option : options) {
      FlavorExplanation& flavor = explained.flavors.emplace_back();
      describe(written.flavors[option.position], amounts, flavor);
      flavor.mode = option.mode;
      flavor.borrowing = option.borrowing;
      flavor.reason = rules_.reason(ask, option);
    }
    std::move(unsuited.begin(), unsuited.end(), std::back_inserter(explained.flavors));
  }

  void describe(const FlavorQuota& quota, const ResourceList& amounts, FlavorExplanation& flavor) {
    const QuotaTree& tree = ledger_.tree();
    QuotaNodeId node = tree.node(explanation_.queue);
    flavor.flavor = ledger_.flavor(quota.flavor);
    flavor.name = session_.cluster().vocabulary().strings.view(quota.flavor);
    for (const ResourceAmount& item : amounts.items()) {
      QuotaExplanation& figures = flavor.amounts.emplace_back();
      figures.resource = item.resource;
      figures.asked = item.amount;
      QuotaCellId cell = tree.cell(quota.flavor, item.resource);
      if (!cell.valid()) continue;
      for (const QuotaAmount& taken : taken_) {
        figures.before += taken.cell == cell ? taken.amount : 0;
      }
      figures.nominal = tree.nominal(node, cell);
      figures.used = ledger_.usage()[tree.index(node, cell)];
      figures.available = available(tree, ledger_.usage(), node, cell);
      figures.most = tree.potential(node, cell);
    }
    // Ids follow the input's order; names do not.
    const ResourceTable& resources = session_.cluster().vocabulary().resources;
    std::sort(flavor.amounts.begin(), flavor.amounts.end(),
              [&](const QuotaExplanation& a, const QuotaExplanation& b) {
                return resources.name(a.resource) < resources.name(b.resource);
              });
  }

  // A party that requests a topology gets none from a flavor without one.
  void check_topologies(const WorkloadAsks::Party& party, PartyExplanation& explained) const {
    for (FlavorExplanation& flavor : explained.flavors) {
      if (!flavor.flavor.valid() || flavor.mode == FlavorMode::NoFit) continue;
      FlavorOption option{.flavor = flavor.flavor};
      std::string error = asks_.combination_error(party, {&option, 1});
      if (error.empty()) continue;
      flavor.mode = FlavorMode::NoFit;
      flavor.reason = {.code = ReasonCode::NoMatchingFlavor, .plugin = "quota"};
      flavor.reason.subject = std::move(error);
    }
  }

  void judge_nodes(const WorkloadAsks::Party& party, FlavorExplanation& flavor) {
    TopologyId topology = ledger_.topology_of(session_.cluster(), flavor.flavor);
    if (!topology.valid() || flavor.reason.code == ReasonCode::NoMatchingFlavor) return;
    std::vector<FlavoredPodSet> sets;
    for (size_t i : party) {
      FlavoredPodSet set;
      set.pod_set = static_cast<uint32_t>(i);
      set.flavor = flavor.flavor;
      set.topology = topology;
      set.pod_class = ledger_.flavored(workload_, i, flavor.flavor);
      set.count = asks_.counts()[i];
      if (set.pod_class.valid() && set.count > 0) sets.push_back(set);
    }
    if (!sets.empty()) flavor.room = judge_room(session_, asks_.workload(), sets, mode_);
  }

  // Takes the first flavor that fits, else the first with quota: later PodSets are judged beside
  // it.
  void give_best(std::span<const FlavorExplanation> flavors) {
    const FlavorExplanation* best = nullptr;
    for (const FlavorExplanation& flavor : flavors) {
      if (flavor.mode != FlavorMode::Fit) continue;
      if (best == nullptr) best = &flavor;
      if (flavor.room && !flavor.room->fits) continue;
      best = &flavor;
      break;
    }
    if (best == nullptr) return;
    StrId name = session_.cluster().vocabulary().strings.find(best->name);
    for (const QuotaExplanation& quota : best->amounts) {
      QuotaCellId cell = ledger_.tree().cell(name, quota.resource);
      if (cell.valid()) taken_.push_back({cell, quota.asked});
    }
    if (!best->room || !best->room->fits) return;
    for (const PodSetPlace& place : best->room->place.pod_sets) {
      for (const SlotFill& fill : place.slots) {
        session_.statement().take_slots(fill.pod_class, fill.node, fill.count, mode_);
      }
    }
  }

  Session& session_;
  const WorkloadLedger& ledger_;
  const WorkloadRecords& records_;
  const QuotaRules& rules_;
  WorkloadId workload_;
  FitMode mode_;
  WorkloadExplanation& explanation_;
  WorkloadAsks asks_;
  std::vector<QuotaAmount> taken_;  // a cell may be in it more than once
};

}  // namespace

WorkloadExplanation explain_workload(Session& session, WorkloadId id) {
  WorkloadExplanation explanation;
  const Workload& workload = session.cluster().workloads()[id];
  const WorkloadLedger& ledger = session.snapshot().workloads();
  explanation.queue = ledger.queue_of(id);
  bool has_quotas = explanation.queue.valid() && session.hooks().quota_rules != nullptr &&
                    ledger.tree().node(explanation.queue).valid();
  explanation.judged = has_quotas && workload.errors.empty() && !workload.finished;
  if (!explanation.judged) return explanation;
  explanation.as_if_gone = workload.admission.has_value();
  Statement& statement = session.statement();
  Statement::Checkpoint start = statement.checkpoint();
  if (explanation.as_if_gone) depart(session, id, {});
  FitMode mode = explanation.as_if_gone ? FitMode::Future : FitMode::Now;
  WorkloadJudge(session, id, mode, explanation).judge();
  statement.rollback(start);
  return explanation;
}

}  // namespace trellis
