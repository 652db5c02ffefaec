#include "session/fits/fit_cache.h"

#include <algorithm>

#include "framework/check.h"
#include "session/fits/fit_kernels.h"
#include "session/fits/slot_levels.h"

namespace trellis {
namespace {

constexpr size_t kCacheBytes = size_t{256} << 20;
constexpr size_t kBytesPerNode = 40;  // fit, counts of a tree or two, ranking
constexpr size_t kFewestEntries = 32;
constexpr size_t kMostWholeCounts = 4;  // of a class
constexpr size_t kNodesAtOnce = 2048;

// The topology whose domains distinguish equal nodes; kNone without one.
TopologyId finest_topology(const Cluster& cluster) {
  TopologyId finest;
  for (uint32_t i = 0; i < cluster.topologies().size(); ++i) {
    const Topology& topology = cluster.topologies()[TopologyId(i)];
    if (topology.levels.empty()) continue;
    if (finest.valid()) {
      const Topology& known = cluster.topologies()[finest];
      bool more = topology.levels.size() > known.levels.size();
      bool as_many = topology.levels.size() == known.levels.size();
      if (!more && (!as_many || topology.name >= known.name)) continue;
    }
    finest = TopologyId(i);
  }
  return finest;
}

// In the tree's order; vacant table slots take no pods and stay at 0.
void ask_counters(const Hooks& hooks, PodClassId pod_class, FitMode mode,
                  std::span<const NodeId> order, IndexedVector<NodeId, int32_t>& fit) {
  std::vector<NodeId> nodes;
  std::vector<int32_t> counts;
  for (const auto& counter : hooks.node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    nodes.clear();
    counts.clear();
    for (NodeId node : order) {
      if (fit[node] == 0) continue;
      nodes.push_back(node);
      counts.push_back(fit[node]);
    }
    counter.point->count_fit(pod_class, mode, nodes, counts);
    for (size_t i = 0; i < nodes.size(); ++i) fit[nodes[i]] = counts[i];
  }
}

}  // namespace

void FitCache::restart() {
  entries_.clear();
  verdicts_.clear();
  live_entries_ = 0;
}

std::span<const ReasonCode> FitCache::verdicts(PodClassId pod_class) {
  if (verdicts_.size() <= pod_class.value) verdicts_.resize(pod_class.value + 1);
  std::vector<ReasonCode>& known = verdicts_[pod_class.value];
  const auto& node_classes = snapshot_.node_classes().classes();
  if (known.size() == node_classes.size()) return known;
  std::vector<StrId> levels = slot_levels(cluster_, cluster_.pod_classes()[pod_class]);
  for (size_t i = known.size(); i < node_classes.size(); ++i) {
    ReasonCode verdict = ReasonCode::None;
    for (const auto& filter : hooks_.class_filters) {
      verdict = filter.point->verdict(pod_class, NodeClassId(i));
      if (verdict != ReasonCode::None) break;
    }
    bool bears = std::ranges::all_of(levels, [&](StrId label) {
      return find_label(node_classes[NodeClassId(i)].labels, label).valid();
    });
    if (verdict == ReasonCode::None && !bears) verdict = ReasonCode::LevelLabelMissing;
    known.push_back(verdict);
  }
  return known;
}

ReasonCode FitCache::class_verdict(PodClassId pod_class, NodeId node) {
  return verdicts(pod_class)[snapshot_.node_classes().of_node()[node].value];
}

int32_t FitCache::fit_now(PodClassId pod_class, FitMode mode, NodeId node) {
  const auto& columns = snapshot_.state().columns(mode);
  int32_t count = kMostPodsPerNode;
  for (const ResourceAmount& item : cluster_.pod_classes()[pod_class].requests.items()) {
    count = fit_count(columns[item.resource][node], item.amount, count);
    if (count == 0) return 0;
  }
  if (class_verdict(pod_class, node) != ReasonCode::None) return 0;
  for (const auto& counter : hooks_.node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    counter.point->count_fit(pod_class, mode, {&node, 1}, {&count, 1});
  }
  return count;
}

bool FitCache::may_stay(PodId pod, NodeId node) {
  PodClassId pod_class = snapshot_.key(pod).pod_class;
  return fit_now(pod_class, FitMode::Future, node) > 0 &&
         std::ranges::all_of(hooks_.node_counters, [&](const auto& counter) {
           return !counter.point->applies(pod_class) || counter.point->may_stay(pod, node);
         });
}

void FitCache::build(Entry& entry, PodClassId pod_class, FitMode mode) {
  const auto& columns = snapshot_.state().columns(mode);
  size_t nodes = cluster_.nodes().size();
  entry.fit.assign(nodes, kMostPodsPerNode);
  std::span<int32_t> counts = entry.fit.span();
  // Some nodes after others, so that their counts stay in the processor's nearest cache. Devices
  // first: where few pods fit, the other columns need no division.
  auto requests = cluster_.pod_classes()[pod_class].requests.items();
  for (size_t start = 0; start < nodes; start += kNodesAtOnce) {
    size_t size = std::min(kNodesAtOnce, nodes - start);
    for (size_t i = requests.size(); i-- > 0;) {
      lower_to_fit(columns[requests[i].resource].span().subspan(start, size), requests[i].amount,
                   counts.subspan(start, size));
    }
  }
  std::span<const ReasonCode> verdict = verdicts(pod_class);
  bool all_pass = std::all_of(verdict.begin(), verdict.end(),
                              [](ReasonCode code) { return code == ReasonCode::None; });
  if (!all_pass) {
    const auto& class_of = snapshot_.node_classes().of_node();
    for (uint32_t i = 0; i < nodes; ++i) {
      if (verdict[class_of[NodeId(i)].value] != ReasonCode::None) counts[i] = 0;
    }
  }
  ask_counters(hooks_, pod_class, mode, snapshot_.all_nodes().node_order(), entry.fit);
  entry.total = sum(counts);
  entry.domains.clear();
  entry.whole.clear();
  entry.ranking.reset();
  entry.linked.reset();
  entry.read_to = snapshot_.changes().end();
}

double FitCache::ranked_score(PodClassId pod_class, FitMode mode, NodeId node, int32_t fit) const {
  if (fit <= 0) return NodeRanking::kUnfit;
  double value = 0;
  score(pod_class, mode, {&node, 1}, {&value, 1});
  return value;
}

void FitCache::follow(Entry& entry, PodClassId pod_class, FitMode mode,
                      std::span<const NodeId> touched) {
  for (NodeId node : touched) {
    int32_t fit = fit_now(pod_class, mode, node);
    int32_t delta = fit - entry.fit[node];
    entry.fit[node] = fit;
    entry.total += delta;
    if (delta != 0) change_domains(entry, node, delta);
    if ((!entry.ranking && !entry.linked) || !snapshot_.all_nodes().contains(node)) continue;
    double score = ranked_score(pod_class, mode, node, fit);
    if (entry.ranking) entry.ranking->update(node, score);
    if (entry.linked) entry.linked->update(snapshot_.all_nodes().position(node), score, fit);
  }
  entry.read_to = snapshot_.changes().end();
}

void FitCache::change_domains(Entry& entry, NodeId node, int32_t delta) {
  for (size_t i = 0; i < entry.domains.size(); ++i) {
    if (entry.domains[i]) entry.domains[i]->change(snapshot_.trees()[TopologyId(i)], node, delta);
  }
  for (WholeCounts& whole : entry.whole) {
    const DomainCounts& pods = *entry.domains[whole.topology.value];
    whole.counts.follow(snapshot_.trees()[whole.topology], pods, whole.layers, node);
  }
}

FitCache::Entry& FitCache::entry(PodClassId pod_class, FitMode mode) {
  // Where no pod is leaving, the future is now.
  if (!anything_leaving()) mode = FitMode::Now;
  size_t index = size_t{pod_class.value} * 2 + (mode == FitMode::Now ? 0 : 1);
  if (entries_.size() <= index) entries_.resize(index + 1);
  if (!entries_[index]) {
    drop_least_used();
    entries_[index] = std::make_unique<Entry>();
    ++live_entries_;
    build(*entries_[index], pod_class, mode);
  }
  Entry& found = *entries_[index];
  found.used = ++clock_;
  if (uint64_t epoch = score_epoch(); found.score_epoch != epoch) {
    found.ranking.reset();
    found.linked.reset();
    found.score_epoch = epoch;
  }
  if (found.read_to == snapshot_.changes().end()) return found;
  auto touched = snapshot_.changes().since(found.read_to);
  if (touched && touched->size() <= cluster_.nodes().size() / 4 + 8) {
    follow(found, pod_class, mode, *touched);
  } else {
    build(found, pod_class, mode);
  }
  return found;
}

void FitCache::drop_least_used() {
  size_t most = kCacheBytes / (kBytesPerNode * std::max<size_t>(1, cluster_.nodes().size()));
  if (live_entries_ < std::max(most, kFewestEntries)) return;
  size_t oldest = entries_.size();
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i]) continue;
    if (oldest == entries_.size() || entries_[i]->used < entries_[oldest]->used) oldest = i;
  }
  entries_[oldest].reset();
  --live_entries_;
}

const IndexedVector<NodeId, int32_t>& FitCache::node_fits(PodClassId pod_class, FitMode mode) {
  return entry(pod_class, mode).fit;
}

int64_t FitCache::total(PodClassId pod_class, FitMode mode) { return entry(pod_class, mode).total; }

int32_t FitCache::node_fit(NodeId node, PodClassId pod_class, FitMode mode) {
  return entry(pod_class, mode).fit[node];
}

bool FitCache::exact(PodClassId pod_class) const {
  return std::none_of(hooks_.pod_links.begin(), hooks_.pod_links.end(),
                      [&](const auto& links) { return links.point->links(pod_class); });
}

bool FitCache::scores_links(PodClassId pod_class) const {
  return std::any_of(hooks_.link_scorers.begin(), hooks_.link_scorers.end(),
                     [&](const auto& scorer) { return scorer.point->scores_links(pod_class); });
}

bool FitCache::plain(PodClassId pod_class) const {
  return exact(pod_class) && !scores_links(pod_class);
}

bool FitCache::order_matters(PodClassId pod_class) const {
  return std::any_of(hooks_.pod_links.begin(), hooks_.pod_links.end(),
                     [&](const auto& links) { return links.point->order_matters(pod_class); });
}

FitCache::LinkVerdict FitCache::link_verdict(PodClassId pod_class, FitMode mode,
                                             NodeId node) const {
  if (!anything_leaving()) mode = FitMode::Now;
  for (const auto& links : hooks_.pod_links) {
    ReasonCode code = links.point->link_verdict(pod_class, mode, node);
    if (code != ReasonCode::None) return {code, links.plugin};
  }
  return {};
}

uint64_t FitCache::affinity_epoch() const {
  uint64_t epoch = 0;
  for (const auto& links : hooks_.pod_links) epoch += links.point->affinity_epoch();
  return epoch;
}

std::vector<StrId> FitCache::link_keys(PodClassId pod_class) const {
  std::vector<StrId> keys;
  for (const auto& links : hooks_.pod_links) links.point->link_keys(pod_class, keys);
  for (const auto& scorer : hooks_.link_scorers) scorer.point->score_keys(pod_class, keys);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

void FitCache::score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                           std::span<double> out) const {
  for (const auto& scorer : hooks_.link_scorers) {
    if (!scorer.point->scores_links(pod_class)) continue;
    scorer.point->score_links(pod_class, mode, nodes, scorer.weight, out);
  }
}

LinkedRanking FitCache::rank_linked(PodClassId pod_class, FitMode mode,
                                    std::span<const NodeId> nodes) {
  const IndexedVector<NodeId, int32_t>& kept = node_fits(pod_class, mode);
  std::vector<int32_t> fits(nodes.size());
  std::vector<double> scores(nodes.size());
  score(pod_class, mode, nodes, scores);
  for (size_t i = 0; i < nodes.size(); ++i) {
    fits[i] = kept[nodes[i]];
    if (fits[i] <= 0) scores[i] = NodeRanking::kUnfit;
  }
  LinkedRanking ranking;
  ranking.build(node_values_, link_keys(pod_class), nodes, scores, fits);
  return ranking;
}

LinkedRanking& FitCache::linked_ranking(PodClassId pod_class, FitMode mode) {
  if (!anything_leaving()) mode = FitMode::Now;  // as in entry()
  Entry& found = entry(pod_class, mode);
  std::vector<StrId> keys = link_keys(pod_class);
  if (!found.linked || found.linked_by != keys) {
    found.linked = rank_linked(pod_class, mode, snapshot_.all_nodes().node_order());
    found.linked_by = std::move(keys);
  }
  return *found.linked;
}

const DomainCounts& FitCache::domain_counts(TopologyId topology, PodClassId pod_class,
                                            FitMode mode) {
  Entry& found = entry(pod_class, mode);
  if (found.domains.size() <= topology.value) found.domains.resize(topology.value + 1);
  std::unique_ptr<DomainCounts>& counts = found.domains[topology.value];
  if (!counts) counts = std::make_unique<DomainCounts>(snapshot_.trees()[topology], found.fit);
  return *counts;
}

const DomainCounts& FitCache::whole_counts(TopologyId topology, PodClassId pod_class, FitMode mode,
                                           std::span<const SegmentLevel> layers) {
  const DomainCounts& pods = domain_counts(topology, pod_class, mode);
  std::vector<WholeCounts>& known = entry(pod_class, mode).whole;
  auto same = std::ranges::find_if(known, [&](const WholeCounts& whole) {
    return whole.topology == topology && std::ranges::equal(whole.layers, layers);
  });
  if (same != known.end()) return same->counts;
  if (known.size() == kMostWholeCounts) known.erase(known.begin());
  DomainCounts counts(snapshot_.trees()[topology], pods, layers);
  known.push_back({topology, {layers.begin(), layers.end()}, std::move(counts)});
  return known.back().counts;
}

NodeId FitCache::best_node(PodClassId pod_class, FitMode mode) {
  if (!anything_leaving()) mode = FitMode::Now;  // as in entry()
  Entry& found = entry(pod_class, mode);
  if (!found.ranking) rank(found, pod_class, mode);
  return found.ranking->best();
}

void FitCache::rank(Entry& entry, PodClassId pod_class, FitMode mode) {
  TopologyId topology = finest_topology(cluster_);
  const TopologyTree& tree = snapshot_.tree(topology);
  std::span<const NodeId> order = tree.node_order();
  std::vector<NodeId> fitting;
  for (NodeId node : order) {
    if (entry.fit[node] > 0) fitting.push_back(node);
  }
  std::vector<double> fitting_scores(fitting.size());
  score(pod_class, mode, fitting, fitting_scores);
  std::vector<double> scores(order.size(), NodeRanking::kUnfit);
  size_t next = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (entry.fit[order[i]] > 0) scores[i] = fitting_scores[next++];
  }
  const DomainCounts* counts =
      topology.valid() ? &domain_counts(topology, pod_class, mode) : &no_domains_;
  entry.ranking.emplace(tree, *counts, domains_, scores);
}

uint64_t FitCache::score_epoch() const {
  uint64_t epoch = 0;
  for (const auto& scorer : hooks_.node_scorers) epoch += scorer.point->score_epoch();
  return epoch;
}

void FitCache::score(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                     std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (const auto& scorer : hooks_.node_scorers) {
    if (!scorer.point->distinguishes(pod_class, mode)) continue;
    scorer.point->score(pod_class, nodes, scorer.weight, out);
  }
}

void FitCache::check_invariants() const {
  FitCache fresh(cluster_, snapshot_, hooks_, node_values_, domains_);
  bool equal = true;
  for (size_t index = 0; index < entries_.size(); ++index) {
    if (!entries_[index] || entries_[index]->read_to != snapshot_.changes().end()) continue;
    const Entry& kept = *entries_[index];
    Entry made;
    PodClassId pod_class(index / 2);
    FitMode mode = index % 2 == 0 ? FitMode::Now : FitMode::Future;
    fresh.build(made, pod_class, mode);
    equal = equal && made.fit == kept.fit && made.total == kept.total;
    if (kept.ranking) equal = equal && fresh.best_node(pod_class, mode) == kept.ranking->best();
    if (kept.linked) {
      std::span<const NodeId> all = snapshot_.all_nodes().node_order();
      equal = equal && fresh.rank_linked(pod_class, mode, all).same_order(*kept.linked);
    }
    for (size_t i = 0; i < kept.domains.size(); ++i) {
      if (kept.domains[i]) {
        kept.domains[i]->check_invariants(snapshot_.trees()[TopologyId(i)], kept.fit);
      }
    }
    for (const WholeCounts& whole : kept.whole) {
      whole.counts.check_invariants(snapshot_.trees()[whole.topology],
                                    *kept.domains[whole.topology.value], whole.layers);
    }
  }
  require(equal, "kept counts are those of the columns");
}

}  // namespace trellis
