#include "plugins/quota/quota_plugin.h"

#include <algorithm>
#include <utility>

#include "framework/flavor.h"
#include "framework/quota_arithmetic.h"
#include "framework/resource_order.h"
#include "framework/workload.h"
#include "plugins/quota/flavor_choice.h"

namespace trellis {
namespace {

std::string_view to_string(TaintEffect effect) {
  return effect == TaintEffect::NoExecute ? "NoExecute" : "NoSchedule";
}

size_t resource_position(const ResourceGroup& group, ResourceId resource) {
  auto found = std::find(group.resources.begin(), group.resources.end(), resource);
  return static_cast<size_t>(found - group.resources.begin());
}

int order(std::string_view a, std::string_view b) { return a.compare(b); }

}  // namespace

void QuotaPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  PluginConfig settings = view.config->plugin("quota");
  std::vector<FairStrategy> strategies;
  if (settings.argument("fairSharing") == "true") {
    strategies = parse_fair_strategies(settings.argument("preemptionStrategies"));
  }
  plans_.open(view);
  preemption_.open(view, std::move(strategies));
  hooks.quota_rules.supply(this, name());
}

Reason QuotaPlugin::uncovered(ClusterQueueId id, std::span<const ResourceAmount> amounts) const {
  auto covers = [&](ResourceId resource) {
    const auto& groups = queue(id).groups;
    return std::any_of(groups.begin(), groups.end(), [&](const ResourceGroup& group) {
      return resource_position(group, resource) < group.resources.size();
    });
  };
  const ResourceTable& resources = view_->vocabulary->resources;
  ResourceId first;
  for (const ResourceAmount& amount : amounts) {
    if (covers(amount.resource)) continue;
    bool sooner = !first.valid() || reported_before(resources, amount.resource, first);
    if (sooner) first = amount.resource;
  }
  Reason reason;
  if (!first.valid()) return reason;
  reason.code = ReasonCode::NoMatchingFlavor;
  reason.plugin = name();
  reason.subject = "resource " + resources.name(first) + " is not covered";
  return reason;
}

void QuotaPlugin::options(const FlavorAsk& ask, std::vector<FlavorOption>& options) const {
  const GroupPlan& plan = plans_.group(ask.queue, ask.group);
  const FlavorFungibility& fungibility = queue(ask.queue).fungibility;
  options.clear();
  grades_.clear();
  size_t chosen = SIZE_MAX;  // where the search of Kueue ends
  for (uint32_t position = 0; position < plan.flavors.size(); ++position) {
    if (position < 64 && (ask.left_out >> position & 1) != 0) continue;
    Verdict found = verdict(ask, plan, position);
    size_t at = options.size();
    options.emplace_back();
    grades_.emplace_back();
    for (; at > 0 && trellis::compare(found.grade, grades_[at - 1], fungibility) < 0; --at) {
      options[at] = options[at - 1];
      grades_[at] = grades_[at - 1];
    }
    options[at] = {plan.flavors[position], position, found.grade.mode, found.borrowing, found.why};
    grades_[at] = found.grade;
    if (chosen != SIZE_MAX) {
      chosen += static_cast<size_t>(at <= chosen);
    } else if (ends_search(found.grade, fungibility)) {
      chosen = at;
    }
  }
  if (chosen == SIZE_MAX || chosen == 0) return;
  auto first = options.begin();
  std::rotate(first, first + static_cast<ptrdiff_t>(chosen),
              first + static_cast<ptrdiff_t>(chosen) + 1);
}

bool QuotaPlugin::suits(const FlavorAsk& ask, const GroupPlan& plan, FlavorId flavor) const {
  const Flavor& record = (*view_->flavors)[flavor];
  return std::all_of(ask.specs.begin(), ask.specs.end(), [&](const PodSpec* spec) {
    return taint_against(record, *spec) == nullptr &&
           labels_suit(record, *spec, plan.label_keys, view_->vocabulary->strings);
  });
}

QuotaAmount QuotaPlugin::wanted(const FlavorAsk& ask, const GroupPlan& plan, uint32_t position,
                                size_t i) const {
  const ResourceGroup& group = queue(ask.queue).groups[ask.group];
  size_t column = resource_position(group, ask.amounts[i].resource);
  if (column == group.resources.size()) return {QuotaCellId(), ask.amounts[i].amount};
  QuotaAmount wanted{plan.cells[position * group.resources.size() + column], ask.amounts[i].amount};
  for (const QuotaAmount& taken : ask.taken) {
    if (taken.cell == wanted.cell) wanted.amount += taken.amount;
  }
  return wanted;
}

QuotaPlugin::Verdict QuotaPlugin::verdict(const FlavorAsk& ask, const GroupPlan& plan,
                                          uint32_t position) const {
  if (!plan.flavors[position].valid()) return {{}, 0, ReasonCode::FlavorNotFound};
  if (!suits(ask, plan, plan.flavors[position])) return {{}, 0, ReasonCode::NoMatchingFlavor};
  const FlavorFungibility& fungibility = queue(ask.queue).fungibility;
  Verdict verdict;
  for (size_t i = 0; i < ask.amounts.size(); ++i) {
    FlavorGrade found = grade(ask, wanted(ask, plan, position, i), verdict.why);
    if (trellis::compare(verdict.grade, found, fungibility) < 0) verdict.grade = found;
    verdict.borrowing = std::max(verdict.borrowing, found.borrowing);
    if (found.mode == FlavorMode::NoFit) break;
  }
  return verdict;
}

FlavorGrade QuotaPlugin::grade(const FlavorAsk& ask, QuotaAmount wanted, ReasonCode& why) const {
  const QuotaTree& tree = *view_->quota_tree;
  QuotaNodeId node = tree.node(ask.queue);
  if (!wanted.cell.valid() || wanted.amount > tree.potential(node, wanted.cell)) {
    why = ReasonCode::ExceedsMaxQuota;
    return {};
  }
  CoveringSubtree covering = covering_subtree(tree, *view_->quota_usage, node, wanted);
  if (wanted.amount <= available(tree, *view_->quota_usage, node, wanted.cell)) {
    return {FlavorMode::Fit, covering.height};
  }
  why = ReasonCode::WaitingForQuota;
  const WorkloadPreemption& policy = queue(ask.queue).preemption;
  bool preempts_while_borrowing = policy.borrows || (preemption_.shares_fairly() &&
                                                     policy.within_cohort != ReclaimWithin::Never);
  if (wanted.amount > tree.nominal(node, wanted.cell) && !covering.below_root &&
      !preempts_while_borrowing) {
    return {FlavorMode::NoFit, covering.height};
  }
  return preemption_.grade_with_others_gone(ask.queue, ask.workload, wanted);
}

std::string QuotaPlugin::mismatch(const FlavorAsk& ask, const GroupPlan& plan,
                                  FlavorId flavor) const {
  const Flavor& record = (*view_->flavors)[flavor];
  const StringTable& strings = view_->vocabulary->strings;
  for (const PodSpec* spec : ask.specs) {
    if (const Taint* taint = taint_against(record, *spec); taint != nullptr) {
      std::string text = "untolerated taint " + std::string(strings.view(taint->key));
      if (taint->value != StringTable::kEmpty) {
        text += "=" + std::string(strings.view(taint->value));
      }
      return text + ":" + std::string(to_string(taint->effect));
    }
    if (!labels_suit(record, *spec, plan.label_keys, strings)) return "node affinity";
  }
  return "";
}

Reason QuotaPlugin::reason(const FlavorAsk& ask, const FlavorOption& option) const {
  const GroupPlan& plan = plans_.group(ask.queue, ask.group);
  const QuotaTree& tree = *view_->quota_tree;
  QuotaNodeId node = tree.node(ask.queue);
  StrId flavor = queue(ask.queue).groups[ask.group].flavors[option.position].flavor;
  Reason reason;
  reason.code = option.why;
  if (option.why == ReasonCode::None) return reason;
  reason.plugin = name();
  reason.flavor = view_->vocabulary->strings.view(flavor);
  if (option.why == ReasonCode::FlavorNotFound) reason.subject = reason.flavor;
  if (option.why == ReasonCode::NoMatchingFlavor) {
    reason.subject = mismatch(ask, plan, option.flavor);
  }
  const bool exceeds = option.why == ReasonCode::ExceedsMaxQuota;
  if (!exceeds && option.why != ReasonCode::WaitingForQuota) return reason;
  for (size_t i = 0; i < ask.amounts.size(); ++i) {
    QuotaAmount amount = wanted(ask, plan, option.position, i);
    int64_t left = 0;
    if (amount.cell.valid()) {
      left = exceeds ? tree.potential(node, amount.cell)
                     : available(tree, *view_->quota_usage, node, amount.cell);
    }
    if (amount.amount > left) {
      reason.quota.push_back({reason.flavor, ask.amounts[i].resource, amount.amount, left});
    }
  }
  std::ranges::sort(reason.quota, [&](const QuotaShortage& a, const QuotaShortage& b) {
    return reported_before(view_->vocabulary->resources, a.resource, b.resource);
  });
  return reason;
}

bool QuotaPlugin::fits(ClusterQueueId queue, std::span<const QuotaAmount> amounts) const {
  const QuotaTree& tree = *view_->quota_tree;
  QuotaNodeId node = tree.node(queue);
  return std::all_of(amounts.begin(), amounts.end(), [&](const QuotaAmount& amount) {
    return amount.amount <= available(tree, *view_->quota_usage, node, amount.cell);
  });
}

size_t QuotaPlugin::first(std::span<const WorkloadTurn> turns) const {
  auto order = [&](WorkloadId a, WorkloadId b) { return compare(a, b); };
  if (preemption_.shares_fairly()) {
    return tournament_.winner(*view_->quota_tree, *view_->quota_usage, turns, order);
  }
  size_t best = 0;
  for (size_t i = 1; i < turns.size(); ++i) {
    int more = turns[i].borrowing - turns[best].borrowing;
    if (more < 0 || (more == 0 && order(turns[i].workload, turns[best].workload) < 0)) best = i;
  }
  return best;
}

int QuotaPlugin::compare(WorkloadId a, WorkloadId b) const {
  const Workload& of_a = (*view_->workloads)[a];
  const Workload& of_b = (*view_->workloads)[b];
  if (of_a.priority != of_b.priority) return of_a.priority > of_b.priority ? -1 : 1;
  if (of_a.queued != of_b.queued) return of_a.queued < of_b.queued ? -1 : 1;
  if (int by_uid = order(of_a.uid, of_b.uid); by_uid != 0) return by_uid;
  const StringTable& strings = view_->vocabulary->strings;
  int by_space = order(strings.view(of_a.name_space), strings.view(of_b.name_space));
  return by_space != 0 ? by_space : order(of_a.name, of_b.name);
}

std::vector<PreemptionAttempt> QuotaPlugin::attempts(const WorkloadTurn& turn) const {
  return preemption_.attempts(turn);
}

bool QuotaPlugin::may_leave(const WorkloadTurn& turn, const PreemptionAttempt& attempt,
                            const WorkloadVictim& victim) const {
  return preemption_.may_leave(turn, attempt, victim);
}

bool QuotaPlugin::fits_after(const WorkloadTurn& turn, const PreemptionAttempt& attempt) const {
  return preemption_.fits_after(turn, attempt);
}

}  // namespace trellis
