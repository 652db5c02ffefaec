#include "tests/plugins/quota/preemption_model.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace trellis {

void PreemptionModel::hold(const std::string& queue, const Amounts& amounts, int64_t times) {
  for (const auto& [cell, amount] : amounts) tree.nodes.at(queue).held[cell] += times * amount;
}

void PreemptionModel::hold_of(const std::string& workload, int64_t times) {
  hold(running.at(workload).queue, running.at(workload).amounts, times);
}

std::vector<std::string> PreemptionModel::way_up(const std::string& node) const {
  std::vector<std::string> way;
  for (std::string at = node; !at.empty(); at = parent(at)) way.push_back(at);
  return way;
}

bool PreemptionModel::same_root(const std::string& a, const std::string& b) const {
  return way_up(a).back() == way_up(b).back();
}

std::pair<std::string, std::string> PreemptionModel::below_common(const std::string& a,
                                                                  const std::string& b) const {
  for (const std::string& x : way_up(a)) {
    for (const std::string& y : way_up(b)) {
      if (!parent(x).empty() && parent(x) == parent(y)) return {x, y};
    }
  }
  return {};
}

bool PreemptionModel::within(const std::string& node, const std::set<std::string>& cells) const {
  return std::all_of(cells.begin(), cells.end(), [&](const std::string& cell) {
    return tree.usage(node, cell) <= tree.subtree_quota(node, cell);
  });
}

bool PreemptionModel::fits(const Request& request, bool borrowing) const {
  for (const auto& [cell, amount] : request.amounts) {
    bool above = tree.usage(request.queue, cell) + amount > tree.subtree_quota(request.queue, cell);
    if (!borrowing && above) return false;
    if (amount > tree.available(request.queue, cell)) return false;
  }
  return true;
}

// Whether the quota of the queue, or of a Cohort above it up to `last`, covers the request.
bool PreemptionModel::covered_below(const Request& request, const std::string& last) const {
  Amounts rest = request.amounts;
  for (const std::string& node : way_up(request.queue)) {
    bool covers = true;
    for (auto& [cell, amount] : rest) {
      covers = covers && tree.usage(node, cell) + amount <= tree.subtree_quota(node, cell);
      int64_t free = tree.local_quota(node, cell) - tree.usage(node, cell);
      amount = std::max<int64_t>(0, amount - std::max<int64_t>(0, free));
    }
    if (covers) return true;
    if (node == last) return false;
  }
  return false;
}

bool PreemptionModel::borrows_up_to(const Request& request, const std::string& queue) const {
  std::string last = below_common(request.queue, queue).second;
  for (const std::string& node : way_up(queue)) {
    if (within(node, request.contested)) return false;
    if (node == last) return true;
  }
  return false;
}

bool PreemptionModel::yields(const Request& request, const std::string& candidate) const {
  const Workload& own = waiting.at(request.workload);
  const Workload& other = running.at(candidate);
  const WorkloadPreemption& policy = policies.at(request.queue);
  bool lower = other.priority < own.priority;
  if (other.queue == request.queue) {
    if (policy.within_queue == PreemptWithin::Never) return false;
    if (policy.within_queue == PreemptWithin::LowerPriority) return lower;
    return lower || (other.priority == own.priority && own.queued < other.queued);
  }
  if (policy.within_cohort == ReclaimWithin::Never) return false;
  return lower || policy.within_cohort == ReclaimWithin::Any;
}

PreemptionModel::Kind PreemptionModel::kind_of(const Request& request,
                                               const std::string& candidate) {
  const Workload& other = running.at(candidate);
  if (other.queue == request.queue) return Kind::Own;
  if (fair) {
    hold(request.queue, request.amounts, 1);
    bool entitled = within(request.queue, request.contested);
    hold(request.queue, request.amounts, -1);
    return entitled ? Kind::Entitled : Kind::ByShare;
  }
  if (covered_below(request, below_common(request.queue, other.queue).first)) {
    return Kind::Hierarchical;
  }
  const WorkloadPreemption& policy = policies.at(request.queue);
  bool low = other.priority < waiting.at(request.workload).priority &&
             other.priority <= policy.max_borrow_priority.value_or(INT32_MAX);
  return policy.borrows && low ? Kind::WhileBorrowing : Kind::WithoutBorrowing;
}

PreemptionModel::Kinds PreemptionModel::candidates(const Request& request) {
  Kinds kinds;
  for (const auto& [name, workload] : running) {
    bool contested =
        std::any_of(workload.amounts.begin(), workload.amounts.end(),
                    [&](const auto& amount) { return request.contested.contains(amount.first); });
    if (!contested || !yields(request, name)) continue;
    if (workload.queue != request.queue) {
      if (!same_root(workload.queue, request.queue)) continue;
      bool borrows = fair ? !within(workload.queue, request.contested)
                          : borrows_up_to(request, workload.queue);
      if (!borrows) continue;
    }
    kinds[name] = kind_of(request, name);
  }
  return kinds;
}

std::vector<std::string> PreemptionModel::sorted(const Kinds& kinds) const {
  auto key = [&](const std::string& name) {
    const Workload& workload = running.at(name);
    int group = 1;
    if (kinds.at(name) == Kind::Hierarchical) group = 0;
    if (kinds.at(name) == Kind::Own) group = 2;
    return std::tuple(group, workload.priority, -workload.reserved_at, name);
  };
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) names.push_back(name);
  std::sort(names.begin(), names.end(),
            [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return names;
}

std::vector<bool> PreemptionModel::ways(const Request& request, const Kinds& kinds) const {
  bool others = false;
  bool hierarchical = false;
  for (const auto& [name, kind] : kinds) {
    others = others || kind != Kind::Own;
    hierarchical = hierarchical || kind == Kind::Hierarchical;
  }
  bool under =
      std::all_of(request.contested.begin(), request.contested.end(), [&](const std::string& cell) {
        return tree.usage(request.queue, cell) < tree.subtree_quota(request.queue, cell);
      });
  bool forbidden = !policies.at(request.queue).borrows;
  if (fair || !others || (forbidden && !under)) return {true};
  if (forbidden && !hierarchical) return {false, true};
  return {true, false};
}

std::vector<std::string> PreemptionModel::sequence(const Request& request, const Kinds& kinds,
                                                   bool borrowing, bool stop) {
  if (fair) return fair_sequence(request, kinds, stop);
  std::vector<std::string> gone;
  for (const std::string& name : sorted(kinds)) {
    if (borrowing && kinds.at(name) == Kind::WithoutBorrowing) continue;
    bool own = kinds.at(name) == Kind::Own;
    if (!own && !borrows_up_to(request, running.at(name).queue)) continue;
    leave(name);
    gone.push_back(name);
    if (stop && fits(request, borrowing)) break;
  }
  return gone;
}

int PreemptionModel::share_order(const std::string& a, const std::string& b) const {
  std::pair of_a(tree.share(a), std::isinf(tree.share(a)) ? tree.ratio(a) : 0);
  std::pair of_b(tree.share(b), std::isinf(tree.share(b)) ? tree.ratio(b) : 0);
  return static_cast<int>(of_a > of_b) - static_cast<int>(of_a < of_b);
}

bool PreemptionModel::may_lose(const Request& request, const std::string& candidate,
                               const std::string& strategy) {
  auto [own, other] = below_common(request.queue, running.at(candidate).queue);
  if (strategy == "LessThanInitialShare") return share_order(own, other) < 0;
  leave(candidate);
  bool may = share_order(own, other) <= 0;
  come_back(candidate);
  return may;
}

// The queue with the greatest share, from the top down; "": no queue may lose any more here.
std::string PreemptionModel::target(const Request& request, const std::string& cohort,
                                    const std::vector<std::string>& rest,
                                    std::set<std::string>& pruned) const {
  auto head = [&](const std::string& queue) {
    auto of_queue = [&](const std::string& name) { return running.at(name).queue == queue; };
    auto found = std::find_if(rest.begin(), rest.end(), of_queue);
    return static_cast<size_t>(found - rest.begin());
  };
  std::vector<std::string> way = way_up(request.queue);
  while (true) {
    std::string best;
    for (const auto& [name, node] : tree.nodes) {  // Cohorts come first: "cohort" < "queue"
      if (node.parent != cohort || pruned.contains(name)) continue;
      bool borrows = tree.borrows(name);
      bool on_way = std::find(way.begin(), way.end(), name) != way.end();
      if ((!borrows && !on_way) || (node.is_queue && head(name) == rest.size())) continue;
      bool first_of_equals =
          !best.empty() && tree.nodes.at(best).is_queue && node.is_queue && head(name) < head(best);
      int order = best.empty() ? 1 : share_order(name, best);
      if (order > 0 || (order == 0 && first_of_equals)) best = name;
    }
    if (best.empty() || tree.nodes.at(best).is_queue) return best;
    std::string below = target(request, best, rest, pruned);
    if (!below.empty()) return below;
    pruned.insert(best);
  }
}

std::vector<std::string> PreemptionModel::fair_sequence(const Request& request, const Kinds& kinds,
                                                        bool stop) {
  hold(request.queue, request.amounts, 1);
  std::vector<std::string> gone;
  std::vector<std::string> spared;
  bool done = false;
  auto go = [&](const std::string& name) {
    leave(name);
    gone.push_back(name);
    hold(request.queue, request.amounts, -1);
    done = stop && fits(request, true);
    hold(request.queue, request.amounts, 1);
  };
  std::string root = way_up(request.queue).back();
  std::vector<std::string> rest = sorted(kinds);
  auto next_queue = [&](std::set<std::string>& pruned) {
    if (root != request.queue) return target(request, root, rest, pruned);
    return rest.empty() ? std::string() : root;
  };
  auto pop = [&](const std::string& queue) -> std::string {
    auto of_queue = [&](const std::string& name) { return running.at(name).queue == queue; };
    auto found = std::find_if(rest.begin(), rest.end(), of_queue);
    if (found == rest.end()) return "";
    std::string name = *found;
    rest.erase(found);
    return name;
  };
  std::set<std::string> pruned;
  for (std::string queue = next_queue(pruned); !done && !queue.empty();
       queue = next_queue(pruned)) {
    std::string name = pop(queue);
    if (kinds.at(name) != Kind::ByShare) {
      go(name);
      continue;
    }
    for (; !name.empty(); name = pop(queue)) {
      if (may_lose(request, name, strategies.front())) {
        go(name);
        break;
      }
      spared.push_back(name);
    }
  }
  if (!done && strategies.size() > 1) {
    rest = spared;
    pruned.clear();
    for (std::string queue = next_queue(pruned); !done && !queue.empty();
         queue = next_queue(pruned)) {
      std::string name = pop(queue);
      if (may_lose(request, name, "LessThanInitialShare")) go(name);
      pruned.insert(queue);
    }
  }
  hold(request.queue, request.amounts, -1);
  return gone;
}

std::vector<PreemptionModel::Attempt> PreemptionModel::attempts(const Request& request) {
  auto cause = [](Kind kind) {
    if (kind == Kind::Own) return PreemptionCause::InClusterQueue;
    if (kind == Kind::ByShare) return PreemptionCause::InCohortFairSharing;
    if (kind == Kind::WhileBorrowing) return PreemptionCause::InCohortReclaimWhileBorrowing;
    return PreemptionCause::InCohortReclamation;
  };
  std::vector<Attempt> found;
  Kinds kinds = candidates(request);
  if (kinds.empty()) return found;
  for (bool borrowing : ways(request, kinds)) {
    Attempt attempt{borrowing, {}, {}};
    for (const auto& [name, kind] : kinds) {
      if (!borrowing || kind != Kind::WithoutBorrowing) attempt.others.insert(name);
    }
    std::vector<std::string> gone = sequence(request, kinds, borrowing, false);
    for (const std::string& name : gone) {
      come_back(name);
      attempt.in_order.emplace_back(name, cause(kinds.at(name)));
      attempt.others.erase(name);
    }
    found.push_back(attempt);
  }
  return found;
}

std::pair<FlavorMode, int> PreemptionModel::grade(const std::string& workload,
                                                  const std::string& queue, const std::string& cell,
                                                  int64_t amount) {
  if (amount > tree.potential(queue, cell)) return {FlavorMode::NoFit, 0};
  bool alone = parent(queue).empty();
  auto borrowing = [&] { return alone ? 0 : tree.covering(queue, cell, amount).height; };
  if (amount <= tree.available(queue, cell)) return {FlavorMode::Fit, borrowing()};
  const WorkloadPreemption& policy = policies.at(queue);
  bool above = policy.borrows || (fair && policy.within_cohort != ReclaimWithin::Never);
  auto limits = tree.nodes.at(queue).quotas.find(cell);
  int64_t nominal = limits == tree.nodes.at(queue).quotas.end() ? 0 : limits->second.nominal;
  bool in_hierarchy = !alone && tree.covering(queue, cell, amount).below_root;
  if (amount > nominal && !in_hierarchy && !above) return {FlavorMode::NoFit, borrowing()};
  Request request{workload, queue, {{cell, amount}}, {cell}};
  Kinds kinds = candidates(request);
  std::pair<FlavorMode, int> found{FlavorMode::NoCandidates, borrowing()};
  for (bool borrows : kinds.empty() ? std::vector<bool>() : ways(request, kinds)) {
    std::vector<std::string> gone = sequence(request, kinds, borrows, true);
    bool fit = fits(request, borrows);
    for (size_t i = gone.size(); fit && i-- > 0;) {
      if (i + 1 == gone.size()) continue;
      come_back(gone[i]);
      if (fits(request, borrows)) {
        gone.erase(gone.begin() + static_cast<ptrdiff_t>(i));
      } else {
        leave(gone[i]);
      }
    }
    if (fit) {
      bool own = std::any_of(gone.begin(), gone.end(),
                             [&](const std::string& name) { return kinds.at(name) == Kind::Own; });
      found = {own ? FlavorMode::Preempt : FlavorMode::Reclaim, borrowing()};
    }
    for (const std::string& name : gone) come_back(name);
    if (fit) break;
  }
  return found;
}

std::string PreemptionModel::winner(const std::string& node, const std::vector<Request>& requests) {
  auto request_of = [&](const std::string& workload) {
    auto is = [&](const Request& request) { return request.workload == workload; };
    return *std::find_if(requests.begin(), requests.end(), is);
  };
  std::string best;
  auto best_key = std::tuple(false, 0.0, 0.0, 0, int64_t{0}, std::string());
  auto offer = [&](const std::string& workload, bool borrows, double share, double ratio) {
    const Workload& record = waiting.at(workload);
    auto key = std::tuple(borrows, share, std::isinf(share) ? ratio : 0.0, -record.priority,
                          record.queued, workload);
    if (!best.empty() && best_key <= key) return;
    best = workload;
    best_key = key;
  };
  for (const Request& request : requests) {
    if (request.queue == node) offer(request.workload, false, 0, 0);
  }
  for (const auto& [child, record] : tree.nodes) {
    if (record.parent != node || child.empty()) continue;
    std::string workload = winner(child, requests);
    if (workload.empty()) continue;
    Request request = request_of(workload);
    hold(request.queue, request.amounts, 1);
    bool borrows = false;
    for (const auto& [cell, amount] : request.amounts) {
      bool above = tree.usage(child, cell) > tree.subtree_quota(child, cell);
      borrows = borrows || (amount > 0 && above);
    }
    if (node.empty()) borrows = false;
    offer(workload, borrows, tree.share(child), tree.ratio(child));
    hold(request.queue, request.amounts, -1);
  }
  return best;
}

std::string PreemptionModel::first(const std::vector<Request>& requests) {
  return winner("", requests);
}

}  // namespace trellis
