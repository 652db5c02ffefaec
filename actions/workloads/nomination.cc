#include "actions/workloads/nomination.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

// Sets of flavors that are tried for one workload.
constexpr int64_t kBudget = 128;
constexpr size_t kMostCombined = 4096;  // combinations of flavors: all of two resource groups
constexpr size_t kMostFlavors = 64;

void add(std::vector<QuotaAmount>& amounts, const QuotaAmount& amount) {
  for (QuotaAmount& known : amounts) {
    if (known.cell != amount.cell) continue;
    known.amount = add_to_sum(known.amount, amount.amount);
    return;
  }
  amounts.push_back(amount);
}

}  // namespace

namespace {

// Whether the admission is of so many of the PodSet's pods as they request now.
bool is_as_requested(const PodSetAdmission& admission, const PodSet& set) {
  int32_t least = set.min_count.value_or(set.count);
  return admission.name == set.name && admission.count >= least && admission.count <= set.count &&
         std::ranges::all_of(admission.usage.items(), [&](const ResourceAmount& item) {
           int64_t one = set.spec.requests.get(item.resource);
           return item.amount == saturating_product(one, admission.count);
         });
}

}  // namespace

std::optional<Nomination> nomination_of(const PlacementContext& context, WorkloadId id,
                                        ClusterQueueId queue, const Admission& admission) {
  const Workload& workload = context.cluster().workloads()[id];
  const WorkloadLedger& ledger = context.snapshot().workloads();
  if (!std::ranges::equal(admission.pod_sets, workload.pod_sets, is_as_requested))
    return std::nullopt;
  Nomination nomination;
  nomination.workload = id;
  nomination.queue = queue;
  for (size_t i = 0; i < admission.pod_sets.size(); ++i) {
    PodSetAdmission& set = nomination.sets.emplace_back(admission.pod_sets[i]);
    set.topology.reset();
    set.delayed_topology = false;
    nomination.counts.push_back(set.count);
    for (const QuotaAmount& amount : ledger.amounts_of(set)) add(nomination.amounts, amount);
    FlavoredPodSet placed = flavored_pod_set(context, id, admission, i);
    if (placed.topology.valid() != admission.pod_sets[i].topology.has_value()) return std::nullopt;
    if (!placed.topology.valid()) continue;
    if (!placed.pod_class.valid()) return std::nullopt;
    nomination.placed.push_back(placed);
  }
  return nomination;
}

void Nominator::begin(WorkloadId workload, ClusterQueueId queue) {
  workload_ = workload;
  queue_ = queue;
  reasons_.clear();
  asks_.begin(workload, queue);
}

void Nominator::note(Reason reason, size_t set) {
  const Workload& workload = context_.cluster().workloads()[workload_];
  if (workload.pod_sets.size() > 1 && reason.subgroup.empty()) {
    reason.subgroup = context_.cluster().vocabulary().strings.view(workload.pod_sets[set].name);
  }
  if (reason.plugin.empty()) reason.plugin = "quota";
  if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) {
    reasons_.push_back(std::move(reason));
  }
}

// Goes party by party, each with what the parties before it take.
bool Nominator::find(Need need, Nomination& nomination, const Accept& accept) {
  nomination = {};
  nomination.workload = workload_;
  nomination.queue = queue_;
  nomination.counts = asks_.counts();
  nomination.sets.resize(asks_.counts().size());
  budget_ = kBudget;
  Walk walk{need, nomination, accept};
  std::vector<Stage> stages;
  auto open = [&] {
    std::vector<PartyChoice> found = choices(asks_.parties()[stages.size()], walk);
    stages.push_back({std::move(found), 0, nomination.amounts, nomination.borrowing});
  };
  open();
  while (!stages.empty()) {
    Stage& stage = stages.back();
    nomination.amounts = stage.amounts;
    nomination.borrowing = stage.borrowing;
    if (stage.next == stage.choices.size()) {
      stages.pop_back();
      continue;
    }
    if (budget_-- <= 0) return false;
    give(asks_.parties()[stages.size() - 1], stage.choices[stage.next++], nomination);
    if (stages.size() < asks_.parties().size()) {
      open();
    } else if (try_all(walk)) {
      return true;
    }
  }
  return false;
}

void Nominator::give(const Party& party, const PartyChoice& choice, Nomination& nomination) const {
  for (size_t set : party) {
    nomination.sets[set] = admission(set, choice);
    for (const QuotaAmount& amount :
         context_.snapshot().workloads().amounts_of(nomination.sets[set])) {
      add(nomination.amounts, amount);
    }
  }
  for (const FlavorOption& option : choice) {
    nomination.borrowing = std::max(nomination.borrowing, option.borrowing);
  }
}

bool Nominator::try_all(Walk& walk) {
  Nomination& nomination = walk.nomination;
  collect_places(nomination);
  const Workload& workload = context_.cluster().workloads()[workload_];
  bool placed = walk.need == Need::Fit && !nomination.placed.empty() && !workload.checks_pending;
  if (placed && !search_.place(workload, nomination.placed, FitMode::Now, nomination.place)) {
    note(search_.failure(), 0);
    return false;
  }
  return !walk.accept || walk.accept(nomination);
}

bool Nominator::is_covered(const Party& party) {
  for (size_t set : party) {
    Reason reason = asks_.uncovered(set);
    if (reason.code == ReasonCode::None) continue;
    note(std::move(reason), set);
    return false;
  }
  return true;
}

// The product of the options of all resource groups, in order; the first group's flavor counts
// most. Of very many only the first.
std::vector<Nominator::PartyChoice> Nominator::choices(const Party& party, const Walk& walk) {
  if (!is_covered(party)) return {};
  const QuotaRules& rules = *context_.hooks().quota_rules;
  std::vector<const PodSpec*> specs = asks_.specs(party);
  FlavorMode least = walk.need == Need::Victims ? FlavorMode::Preempt : FlavorMode::Fit;
  std::vector<PartyChoice> product = {{}};
  const std::vector<ResourceGroup>& groups = asks_.groups();
  for (size_t group = 0; group < groups.size(); ++group) {
    ResourceList amounts = asks_.usage(party, groups[group]);
    if (amounts.empty()) continue;
    FlavorAsk ask{queue_,
                  workload_,
                  group,
                  specs,
                  amounts.items(),
                  walk.nomination.amounts,
                  left_out(party, groups[group])};
    std::vector<FlavorOption> options;
    rules.options(ask, options);
    std::vector<PartyChoice> longer;
    for (const FlavorOption& option : options) {
      if (option.mode < least) note(rules.reason(ask, option), party.front());
    }
    for (const PartyChoice& choice : product) {
      for (const FlavorOption& option : options) {
        bool enough = longer.size() == kMostCombined;
        if (option.mode < least || enough) continue;
        longer.push_back(choice);
        longer.back().push_back(option);
      }
    }
    product = std::move(longer);
  }
  std::erase_if(product, [&](const PartyChoice& choice) { return !one_topology(party, choice); });
  return product;
}

uint64_t Nominator::left_out(const Party& party, const ResourceGroup& group) {
  const WorkloadRecords& records = context_.cluster().workloads();
  uint64_t out = 0;
  for (size_t i = 0; i < std::min(group.flavors.size(), kMostFlavors); ++i) {
    FlavorId id = context_.snapshot().workloads().flavor(group.flavors[i].flavor);
    if (!id.valid()) continue;
    std::string error = asks_.topology_error(party, records.flavors()[id]);
    if (error.empty()) continue;
    out |= uint64_t{1} << i;
    Reason reason{.code = ReasonCode::NoMatchingFlavor, .subject = std::move(error)};
    note(std::move(reason), party.front());
  }
  return out;
}

bool Nominator::one_topology(const Party& party, const PartyChoice& choice) {
  Reason reason{.code = ReasonCode::NoMatchingFlavor};
  reason.subject = asks_.combination_error(party, choice);
  if (reason.subject.empty()) return true;
  note(std::move(reason), party.front());
  return false;
}

PodSetAdmission Nominator::admission(size_t set, const PartyChoice& choice) const {
  const Cluster& cluster = context_.cluster();
  const WorkloadRecords& records = cluster.workloads();
  PodSetAdmission made;
  made.name = records[workload_].pod_sets[set].name;
  made.count = asks_.counts()[set];
  size_t next = 0;
  const Party& party = *std::find_if(
      asks_.parties().begin(), asks_.parties().end(),
      [&](const Party& one) { return std::find(one.begin(), one.end(), set) != one.end(); });
  for (const ResourceGroup& group : asks_.groups()) {
    if (asks_.usage(party, group).empty()) continue;
    const Flavor& flavor = records.flavors()[choice[next++].flavor];
    StrId name = cluster.vocabulary().strings.find(flavor.name);
    ResourceList own = asks_.usage({set}, group);
    for (const ResourceAmount& item : own.items()) {
      made.flavors.emplace_back(item.resource, name);
      made.usage.set(item.resource, item.amount);
    }
  }
  std::sort(made.flavors.begin(), made.flavors.end());
  return made;
}

void Nominator::collect_places(Nomination& nomination) const {
  nomination.placed.clear();
  const WorkloadLedger& ledger = context_.snapshot().workloads();
  for (size_t i = 0; i < nomination.sets.size(); ++i) {
    FlavorId flavor = ledger.placed_flavor(context_.cluster(), nomination.sets[i]);
    if (!flavor.valid()) continue;
    FlavoredPodSet set;
    set.pod_set = static_cast<uint32_t>(i);
    set.flavor = flavor;
    set.topology = ledger.topology_of(context_.cluster(), flavor);
    set.pod_class = ledger.flavored(workload_, i, flavor);
    set.count = asks_.counts()[i];
    nomination.placed.push_back(set);
  }
}

}  // namespace trellis
