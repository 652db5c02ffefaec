#include "server/plan/node_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "session/explain/domain_ref.h"

namespace trellis {
namespace {

constexpr double kRounding = 1e-9;

int64_t whole_nodes(double share) { return static_cast<int64_t>(std::ceil(share - kRounding)); }

}  // namespace

NodeEstimate::NodeEstimate(Session& session, const NodeMarket& market, const DemandRows& rows,
                           const NodeCounts& counts)
    : session_(session),
      market_(market),
      rows_(rows),
      base_(counts),
      shares_(market.offers.size()),
      all_offers_(market.offers.size()),
      room_used_(rows.classes.size()) {
  std::iota(all_offers_.begin(), all_offers_.end(), 0U);
}

bool NodeEstimate::add(GangId gang) {
  std::vector<DemandPart> parts = gang_parts(session_, gang);
  // Parts inside others would count their pods twice.
  if (parts.size() > 1 && !parts.front().subgroup.valid()) parts.resize(1);
  return std::ranges::all_of(parts, [&](const DemandPart& part) { return add_part(part); });
}

NodeCounts NodeEstimate::counts() const {
  NodeCounts counts = base_;
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += whole_nodes(shares_[i]);
  return counts;
}

bool NodeEstimate::add_part(const DemandPart& part) {
  PartLevels levels = levels_of(session_.cluster(), part.topology);
  if (levels.required < 0) return add_anywhere(part);
  const TopologyTree& tree = session_.snapshot().tree(levels.topology);
  DomainId home;
  if (!part.placed.empty() && tree.contains(part.placed.front())) {
    home = tree.ancestor(tree.domain_of(part.placed.front()), levels.required);
  }
  Domain* best = nullptr;
  std::optional<Fill> best_fill;
  for (Domain& domain : domains_of({levels.topology, levels.required})) {
    if (home.valid() && domain.existing != home) continue;
    std::vector<ClassPods> missing;
    for (const AskedRow& row : part.rows) {
      int64_t number = row_of(row.pod_class);
      if (number < 0) return false;
      int64_t room = 0;
      if (domain.existing.valid() && !domain.used) {
        room = session_.fits().domain_counts(levels.topology, row.pod_class,
                                             FitMode::Now)[domain.existing];
      }
      if (row.pods > room) missing.push_back({static_cast<uint32_t>(number), row.pods - room});
    }
    std::optional<Fill> cost = fill(missing, domain.offers);
    if (!cost) continue;
    bool better = !best_fill || std::pair(cost->price_micro, cost->nodes) <
                                    std::pair(best_fill->price_micro, best_fill->nodes);
    if (!better) continue;
    best = &domain;
    best_fill = std::move(cost);
  }
  if (!best_fill) return false;
  best->used = true;
  take(*best_fill);
  return true;
}

bool NodeEstimate::add_anywhere(const DemandPart& part) {
  std::vector<ClassPods> missing;
  for (const AskedRow& row : part.rows) {
    int64_t number = row_of(row.pod_class);
    if (number < 0) return false;
    int64_t& used = room_used_[static_cast<size_t>(number)];
    int64_t room = std::max<int64_t>(0, session_.fits().total(row.pod_class, FitMode::Now) - used);
    used += std::min(room, row.pods);
    if (row.pods > room) missing.push_back({static_cast<uint32_t>(number), row.pods - room});
  }
  std::optional<Fill> cost = fill(missing, all_offers_);
  if (cost) take(*cost);
  return cost.has_value();
}

std::vector<NodeEstimate::Domain>& NodeEstimate::domains_of(const Level& level) {
  auto [known, is_new] = domains_.try_emplace(level);
  if (!is_new) return known->second;
  const StringTable& strings = session_.cluster().vocabulary().strings;
  const Topology& topology = session_.cluster().topologies()[level.first];
  std::map<std::vector<std::string_view>, size_t> index;
  for (uint32_t offer : all_offers_) {
    std::vector<std::string_view> path;
    for (int i = 0; i <= level.second; ++i) {
      StrId label = topology.levels[static_cast<size_t>(i)].label;
      StrId value = find_label(market_.offers[offer].labels, label);
      if (value.valid()) path.push_back(strings.view(value));
    }
    if (path.size() != static_cast<size_t>(level.second) + 1) continue;
    auto [at, added] = index.try_emplace(path, known->second.size());
    if (added) {
      known->second.push_back({.existing = find_domain(session_, level.first, path)});
    }
    known->second[at->second].offers.push_back(offer);
  }
  return known->second;
}

int64_t NodeEstimate::row_of(PodClassId pod_class) const {
  auto row = rows_.row_of.find(pod_class.value);
  return row == rows_.row_of.end() ? -1 : static_cast<int64_t>(row->second);
}

// How many more nodes of the offer's shape may be bought.
int64_t NodeEstimate::left(uint32_t offer) const {
  uint32_t shape = market_.offers[offer].shape;
  int64_t left = market_.shapes[shape].most;
  if (left == kNoMost) return left;
  for (uint32_t i : all_offers_) {
    if (market_.offers[i].shape == shape) left -= base_[i] + whole_nodes(shares_[i]);
  }
  return std::max<int64_t>(left, 0);
}

// For each pod; of equal ones, the offer that takes more.
bool NodeEstimate::is_cheaper(uint32_t a, uint32_t b, size_t row) const {
  int64_t fits_a = rows_.fits[a][row];
  int64_t fits_b = rows_.fits[b][row];
  auto cost_a = static_cast<double>(market_.price_of(a)) * static_cast<double>(fits_b);
  auto cost_b = static_cast<double>(market_.price_of(b)) * static_cast<double>(fits_a);
  if (cost_a != cost_b) return cost_a < cost_b;
  return fits_a > fits_b;
}

std::optional<NodeEstimate::Fill> NodeEstimate::fill(std::span<const ClassPods> missing,
                                                     std::span<const uint32_t> offers) const {
  Fill fill;
  for (const ClassPods& row : missing) {
    if (!fill_row(row, offers, fill)) return std::nullopt;
  }
  return fill;
}

bool NodeEstimate::fill_row(ClassPods missing, std::span<const uint32_t> offers, Fill& fill) const {
  size_t row = missing.row;
  std::vector<uint32_t> able;
  for (uint32_t offer : offers) {
    if (rows_.fits[offer][row] > 0 && left(offer) > 0) able.push_back(offer);
  }
  std::ranges::stable_sort(able, [&](uint32_t a, uint32_t b) { return is_cheaper(a, b, row); });
  auto buy = [&](uint32_t offer, double share) {
    int64_t nodes = whole_nodes(share);
    fill.price_micro =
        add_to_sum(fill.price_micro, saturating_product(market_.price_of(offer), nodes));
    fill.nodes += nodes;
    fill.shares.emplace_back(offer, share);
  };
  int64_t pods = missing.pods;
  for (size_t i = 0; i < able.size() && pods > 0; ++i) {
    int64_t each = rows_.fits[able[i]][row];
    int64_t most = left(able[i]);
    int64_t nodes = std::min(most, pods / each);
    if (nodes > 0) buy(able[i], static_cast<double>(nodes));
    pods -= nodes * each;
    if (pods == 0 || nodes == most) continue;
    // The rest is less than a node: the cheapest one that takes it.
    uint32_t last = able[i];
    for (uint32_t other : std::span(able).subspan(i + 1)) {
      bool takes = rows_.fits[other][row] >= pods;
      if (takes && market_.price_of(other) < market_.price_of(last)) last = other;
    }
    buy(last, static_cast<double>(pods) / static_cast<double>(rows_.fits[last][row]));
    pods = 0;
  }
  return pods == 0;
}

void NodeEstimate::take(const Fill& fill) {
  for (const auto& [offer, share] : fill.shares) shares_[offer] += share;
}

}  // namespace trellis
