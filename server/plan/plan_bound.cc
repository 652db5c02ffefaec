#include "server/plan/plan_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "server/plan/linear_program.h"
#include "session/explain/domain_ref.h"
#include "session/explain/room.h"

namespace trellis {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Of each resource what any pod of the class holds at the least.
ResourceList least_held(const PodSpec& spec) {
  ResourceList held = spec.requests;
  if (spec.gpu_share.portion_milli > 0) {
    held.add(kGpu, int64_t{spec.gpu_share.portion_milli} * spec.gpu_share.devices);
  }
  return held;
}

// The values of the labels of the levels down to this one; empty: the labels lack one.
std::vector<StrId> path_of(const Labels& labels, const Topology& topology, int level) {
  std::vector<StrId> path;
  for (int i = 0; i <= level; ++i) {
    StrId value = find_label(labels, topology.levels[static_cast<size_t>(i)].label);
    if (!value.valid()) return {};
    path.push_back(value);
  }
  return path;
}

}  // namespace

PlanBound::PlanBound(Session& session, const NodeMarket& market, const DemandRows& rows,
                     std::span<const GangId> gangs)
    : market_(market), rows_(rows), all_offers_(market.offers.size()) {
  std::iota(all_offers_.begin(), all_offers_.end(), 0U);
  collect_demands(session, gangs);
  for (PodClassId pod_class : rows.classes) {
    room_.push_back(session.fits().total(pod_class, FitMode::Future));
  }
  for (const GangDemand& demand : demands_)
    collect_domains(session, {demand.topology, demand.level});
  measure_resources(session);
  double price = price_by_resources();
  for (size_t row = 0; row < needed_.size(); ++row) {
    price = std::max(price, price_of_class(row, needed_[row] - room_[row], all_offers_));
  }
  for (const GangDemand& demand : demands_) price = std::max(price, price_of_gang(demand));
  price_micro_ = rounded(price);
}

void PlanBound::collect_demands(const Session& session, std::span<const GangId> gangs) {
  needed_.resize(rows_.classes.size());
  for (GangId gang : gangs) {
    GangDemand demand = demand_of(session, rows_, gang);
    for (const ClassPods& row : demand.rows) needed_[row.row] += row.pods;
    if (demand.level < 0 || demand.rows.empty()) continue;
    if (std::ranges::find(demands_, demand) == demands_.end()) demands_.push_back(demand);
  }
}

void PlanBound::collect_domains(Session& session, const Level& level) {
  auto [known, is_new] = domains_.try_emplace(level);
  if (!is_new) return;
  const Topology& topology = session.cluster().topologies()[level.first];
  std::map<std::vector<StrId>, Domain> by_path;
  std::vector<int64_t> none(rows_.classes.size());
  const TopologyTree& tree = session.snapshot().tree(level.first);
  IdRange range = tree.level(level.second);
  for (uint32_t i = range.first; i < range.last; ++i) by_path[tree.path(DomainId(i))].room = none;
  for (size_t row = 0; row < rows_.classes.size(); ++row) {
    const DomainCounts& counts =
        session.fits().domain_counts(level.first, rows_.classes[row], FitMode::Future);
    for (uint32_t i = range.first; i < range.last; ++i) {
      by_path[tree.path(DomainId(i))].room[row] = counts[DomainId(i)];
    }
  }
  for (uint32_t offer = 0; offer < market_.offers.size(); ++offer) {
    std::vector<StrId> path = path_of(market_.offers[offer].labels, topology, level.second);
    if (path.empty()) continue;
    Domain& domain = by_path[path];
    if (domain.room.empty()) domain.room = none;
    domain.offers.push_back(offer);
  }
  for (auto& [path, domain] : by_path) known->second.push_back(std::move(domain));
}

// Only nodes that take some pod have anything for them.
void PlanBound::measure_resources(Session& session) {
  std::map<ResourceId, int64_t> missing;
  for (size_t row = 0; row < rows_.classes.size(); ++row) {
    ResourceList held = least_held(session.cluster().pod_classes()[rows_.classes[row]]);
    for (const ResourceAmount& item : held.items()) {
      int64_t& sum = missing[item.resource];
      sum = add_to_sum(sum, saturating_product(item.amount, needed_[row]));
    }
  }
  const NodeState& state = session.snapshot().state();
  std::vector<NodeId> able;
  for (NodeId node : session.snapshot().all_nodes().node_order()) {
    bool takes = std::ranges::any_of(rows_.classes, [&](PodClassId pod_class) {
      return session.fits().node_fits(pod_class, FitMode::Future)[node] > 0;
    });
    if (takes) able.push_back(node);
  }
  for (auto& [resource, sum] : missing) {
    for (NodeId node : able) {
      sum = add_to_sum(sum, -free_amount(state, resource, node, FitMode::Future));
    }
    resources_.push_back(resource);
    missing_.push_back(is_saturated(sum) ? 0 : sum);
  }
}

bool PlanBound::takes(const Domain& domain, const GangDemand& demand,
                      const NodeCounts& counts) const {
  return std::ranges::all_of(demand.rows, [&](const ClassPods& row) {
    int64_t room = domain.room[row.row];
    for (uint32_t offer : domain.offers) room += counts[offer] * rows_.fits[offer][row.row];
    return room >= row.pods;
  });
}

bool PlanBound::may_suffice(const NodeCounts& counts) const {
  std::vector<int64_t> room = room_;
  std::vector<int64_t> missing = missing_;
  for (size_t offer = 0; offer < counts.size(); ++offer) {
    if (counts[offer] == 0) continue;
    const ResourceList& each = market_.offers[offer].allocatable;
    for (size_t row = 0; row < room.size(); ++row) {
      room[row] += counts[offer] * rows_.fits[offer][row];
    }
    for (size_t i = 0; i < missing.size(); ++i) {
      missing[i] =
          add_to_sum(missing[i], -saturating_product(each.get(resources_[i]), counts[offer]));
    }
  }
  for (size_t row = 0; row < room.size(); ++row) {
    if (room[row] < needed_[row]) return false;
  }
  if (std::ranges::any_of(missing, [](int64_t amount) { return amount > 0; })) return false;
  return std::ranges::all_of(demands_, [&](const GangDemand& demand) {
    const std::vector<Domain>& domains = domains_.at({demand.topology, demand.level});
    return std::ranges::any_of(domains,
                               [&](const Domain& domain) { return takes(domain, demand, counts); });
  });
}

// 0 where nothing is missing.
double PlanBound::price_of_class(size_t row, int64_t missing,
                                 std::span<const uint32_t> offers) const {
  if (missing <= 0) return 0;
  double each = kNever;  // of a pod
  double node = kNever;  // of the cheapest node that takes one
  int64_t most = 0;      // on one node
  for (uint32_t offer : offers) {
    int64_t fits = rows_.fits[offer][row];
    if (fits <= 0 || market_.shape_of(offer).most == 0) continue;
    auto price = static_cast<double>(market_.price_of(offer));
    each = std::min(each, price / static_cast<double>(fits));
    node = std::min(node, price);
    most = std::max(most, fits);
  }
  if (most == 0) return kNever;
  double nodes = std::ceil(static_cast<double>(missing) / static_cast<double>(most));
  return std::max(each * static_cast<double>(missing), node * nodes);
}

double PlanBound::price_of_gang(const GangDemand& demand) const {
  double least = kNever;
  for (const Domain& domain : domains_.at({demand.topology, demand.level})) {
    double price = 0;
    for (const ClassPods& row : demand.rows) {
      int64_t missing = row.pods - domain.room[row.row];
      price = std::max(price, price_of_class(row.row, missing, domain.offers));
    }
    least = std::min(least, price);
  }
  return least;
}

double PlanBound::price_by_resources() const {
  LinearProgram program;
  for (size_t i = 0; i < resources_.size(); ++i) {
    std::vector<double> column(market_.shapes.size());  // in its best place
    for (const NodeOffer& offer : market_.offers) {
      auto amount = static_cast<double>(offer.allocatable.get(resources_[i]));
      column[offer.shape] = std::max(column[offer.shape], amount);
    }
    double largest = std::ranges::max(column);
    if (largest <= 0 || missing_[i] <= 0) continue;
    for (double& amount : column) amount /= largest;
    program.add(static_cast<double>(missing_[i]) / largest, std::move(column));
  }
  std::vector<double> prices;
  for (const NodeShape& shape : market_.shapes) {
    prices.push_back(static_cast<double>(shape.price_micro));
  }
  return program.maximum(prices);
}

// Up to a multiple of what all prices are multiples of.
int64_t PlanBound::rounded(double price) const {
  constexpr double kTolerance = 1e-9;
  if (price == kNever) return kMaxSum;
  int64_t step = 0;
  for (const NodeShape& shape : market_.shapes) step = std::gcd(step, shape.price_micro);
  if (step == 0) return 0;
  double steps = price / static_cast<double>(step);
  return static_cast<int64_t>(std::ceil(steps - kTolerance * std::max(1.0, steps))) * step;
}

}  // namespace trellis
