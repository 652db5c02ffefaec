#include "session/placement/near_miss.h"

#include <algorithm>

#include "framework/resource_order.h"
#include "framework/topology_levels.h"
#include "session/fits/fit_kernels.h"
#include "session/placement/gang_search.h"
#include "session/placement/linked_search.h"
#include "session/placement/pod_rows.h"
#include "topology/tree.h"

namespace trellis {
namespace {

// The pods that found no place, with their constraint and the domain they had to be in.
struct Asked {
  TopologyConstraint constraint;
  std::vector<RowPods> rows;
  std::vector<NodeId> placed;
  std::vector<SegmentLayer> segments;
  TopologyId scope_topology;
  DomainId scope;         // kNone: anywhere
  int32_t subgroup = -1;  // of its pods; -1: the gang, or several subgroups
};

// The domain that the pods would be bound to: the domain of their required level (no required
// level: the scope) that can take most of them; if some already run, one of the domains where they
// run.
struct NearestDomain {
  TopologyId topology;
  DomainId domain;
  int64_t count = 0;
  bool unlabelled = false;  // no node has the label of the required level
};

std::vector<SegmentLevel> segment_levels(const Topology& topology, const StringTable& strings,
                                         std::span<const SegmentLayer> layers) {
  std::vector<SegmentLevel> levels;
  for (const SegmentLayer& layer : layers) {
    if (!layer.required.valid()) continue;
    if (auto level = find_level(topology, strings.view(layer.required), strings)) {
      levels.push_back({*level, layer.size});
    }
  }
  return levels;
}

// The number that fits of up to `needed` pods of a linked class, in the domain (kNone: anywhere).
int64_t place_linked(PlacementContext& context, const Asked& asked, PodClassId pod_class,
                     int64_t needed, const TopologyTree& tree, DomainId domain) {
  std::vector<PodId> alike;
  for (const RowPods& row : asked.rows) {
    for (PodId pod : row.pods) {
      bool wanted = static_cast<int64_t>(alike.size()) < needed;
      if (wanted && context.snapshot().key(pod).pod_class == pod_class) alike.push_back(pod);
    }
  }
  std::span<const NodeId> nodes = domain.valid() ? tree.nodes(domain) : tree.node_order();
  return place_most(context, {pod_class, alike}, nodes);
}

struct Candidate {
  DomainId domain;
  int64_t count = 0;
};

bool goes_before(const Candidate& a, const Candidate& b) {
  return a.count != b.count ? a.count > b.count : a.domain < b.domain;
}

// The counts of a linked class are upper bounds: its pods are placed in one domain after another,
// until no other can take more.
Candidate best_of(PlacementContext& context, const Asked& asked, PodClassId pod_class,
                  int64_t needed, const TopologyTree& tree, std::vector<Candidate>& domains) {
  constexpr size_t kMostTried = 16;
  if (domains.empty()) return {};
  if (context.fits().exact(pod_class)) return *std::ranges::min_element(domains, goes_before);
  Candidate best{domains.front().domain, 0};
  size_t tried = std::min(domains.size(), kMostTried);
  std::ranges::partial_sort(domains, domains.begin() + static_cast<ptrdiff_t>(tried), goes_before);
  Statement::Checkpoint start = context.statement().checkpoint();
  for (const Candidate& candidate : std::span(domains).first(tried)) {
    if (!goes_before(candidate, best)) break;
    int64_t found = place_linked(context, asked, pod_class, needed, tree, candidate.domain);
    context.statement().rollback(start);
    best = std::min(best, {candidate.domain, found}, goes_before);
  }
  return best;
}

NearestDomain nearest_domain(PlacementContext& context, const Asked& asked, PodClassId pod_class,
                             int64_t needed) {
  NearestDomain nearest;
  const Cluster& cluster = context.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId id = asked.scope_topology;
  ResolvedLevels levels;
  if (asked.constraint.topology.valid()) {
    id = cluster.find_topology(strings.view(asked.constraint.topology));
    if (!id.valid()) return nearest;
    levels = resolve_levels(cluster.topologies()[id], asked.constraint, strings);
  }
  if (!id.valid()) return nearest;
  const TopologyTree& tree = context.snapshot().trees()[id];
  const DomainCounts& pods = context.fits().domain_counts(id, pod_class, FitMode::Future);
  std::vector<SegmentLevel> layers =
      segment_levels(cluster.topologies()[id], strings, asked.segments);
  DomainCounts counts = layers.empty() ? pods : DomainCounts(tree, pods, layers);
  bool scoped = asked.scope.valid() && asked.scope_topology == id;
  DomainId scope = scoped ? asked.scope : tree.root();
  IdRange range = tree.descendants(scope, std::max(levels.required, tree.level_of(scope)));
  std::vector<DomainId> homes;
  bool bound = levels.required >= 0 && !asked.placed.empty();
  if (bound) homes = home_domains(tree, asked.placed, levels.required);
  nearest.topology = id;
  nearest.unlabelled = levels.required >= 0 && tree.level(levels.required).size() == 0;
  std::vector<Candidate> open;
  for (uint32_t i = range.first; i < range.last; ++i) {
    if (bound && !std::ranges::binary_search(homes, tree.ancestor(DomainId(i), levels.required))) {
      continue;
    }
    open.push_back({DomainId(i), counts[DomainId(i)]});
  }
  Candidate best = best_of(context, asked, pod_class, needed, tree, open);
  nearest.domain = best.domain;
  nearest.count = best.count;
  return nearest;
}

NodeVerdict short_resource(PlacementContext& context, PodClassId pod_class, FitMode mode,
                           NodeId node) {
  const auto& columns = context.snapshot().state().columns(mode);
  const ResourceTable& resources = context.cluster().vocabulary().resources;
  NodeVerdict verdict;
  for (const ResourceAmount& item : context.cluster().pod_classes()[pod_class].requests.items()) {
    if (columns[item.resource][node] >= item.amount) continue;
    bool first = verdict.code == ReasonCode::None ||
                 (verdict.code == ReasonCode::InsufficientResource &&
                  reported_before(resources, item.resource, verdict.resource));
    if (!first && !ResourceTable::is_gpu(item.resource)) continue;
    bool pods = item.resource == kPods;
    verdict = {pods ? ReasonCode::TooManyPods : ReasonCode::InsufficientResource,
               pods ? ResourceId() : item.resource,
               {}};
    if (ResourceTable::is_gpu(item.resource)) break;
  }
  return verdict;
}

// Of a node whose class refuses the pods.
std::string_view refusing_plugin(PlacementContext& context, PodClassId pod_class, NodeId node) {
  NodeClassId node_class = context.snapshot().node_classes().of_node()[node];
  for (const auto& filter : context.hooks().class_filters) {
    if (filter.point->verdict(pod_class, node_class) != ReasonCode::None) return filter.plugin;
  }
  return "topology";
}

}  // namespace

NodeVerdict node_verdict(PlacementContext& context, PodClassId pod_class, FitMode mode,
                         NodeId node) {
  ReasonCode of_class = context.fits().class_verdict(pod_class, node);
  if (of_class != ReasonCode::None) {
    return {of_class, ResourceId(), refusing_plugin(context, pod_class, node)};
  }
  NodeVerdict verdict = short_resource(context, pod_class, mode, node);
  if (verdict.code != ReasonCode::None) return verdict;
  for (const auto& counter : context.hooks().node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    ReasonCode code = counter.point->refusal(pod_class, mode, node);
    if (code != ReasonCode::None) return {code, ResourceId(), counter.plugin};
  }
  FitCache::LinkVerdict linked = context.fits().link_verdict(pod_class, mode, node);
  return {linked.code, ResourceId(), linked.plugin};
}

VerdictCount limited_nodes(PlacementContext& context, PodClassId pod_class, FitMode mode,
                           std::span<const NodeId> nodes) {
  VerdictCount most;
  const PodSpec& spec = context.cluster().pod_classes()[pod_class];
  if (spec.gpu_share.active()) return most;  // requests do not contain what it shares
  const auto& free = context.snapshot().state().columns(mode);
  const auto& fits = context.fits().node_fits(pod_class, mode);
  const bool linked = !context.fits().exact(pod_class);
  auto takes = [&](NodeId node) {
    return fits[node] > 0 &&
           (!linked || context.fits().link_verdict(pod_class, mode, node).passes());
  };
  for (const auto& counter : context.hooks().node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    VerdictCount limited{.plugin = counter.plugin};
    for (NodeId node : nodes) {
      if (!takes(node)) continue;
      int32_t by_resources = kMostPodsPerNode;
      for (const ResourceAmount& item : spec.requests.items()) {
        by_resources = fit_count(free[item.resource][node], item.amount, by_resources);
      }
      int32_t counted = by_resources;
      counter.point->count_fit(pod_class, mode, {&node, 1}, {&counted, 1});
      if (counted >= by_resources) continue;
      if (limited.nodes++ == 0) limited.example = node;
    }
    if (limited.nodes > most.nodes) most = limited;
  }
  return most;
}

void take_limit(Reason& reason) {
  if (reason.verdicts.empty() || reason.verdicts.back().code != ReasonCode::None) return;
  if (reason.found < reason.needed) reason.limit = reason.verdicts.back();
  reason.verdicts.pop_back();
}

namespace {

bool is_structured(const Gang& gang) { return !gang.subgroups.empty() || !gang.segments.empty(); }

// The part that the search could not place when it came furthest.
Asked asked_in_structure(PlacementContext& context, GangId gang) {
  GangSearch search(context);
  search.set_work(context.search_work(gang));
  Statement::Checkpoint start = context.statement().checkpoint();
  Asked asked;
  for (const GangNeed& need : next_needs(context, gang)) {
    if (search.place(gang, need) == SearchResult::Placed) context.statement().rollback(start);
    if (!search.failure()) continue;
    if (need.size() == 1) asked.subgroup = need.front().subgroup;
    break;
  }
  asked.constraint = context.cluster().gangs()[gang].topology;
  if (!search.failure()) return asked;
  const SearchFailure& failure = *search.failure();
  if (failure.unit.subgroup >= 0) asked.subgroup = failure.unit.subgroup;
  asked.constraint = failure.unit.constraint;
  asked.rows = failure.rows;
  asked.placed = failure.unit.placed;
  asked.segments = failure.unit.segments;
  asked.scope_topology = failure.where.scope_topology;
  asked.scope = failure.where.scope;
  return asked;
}

Asked asked_of(PlacementContext& context, GangId gang) {
  const Gang& record = context.cluster().gangs()[gang];
  if (is_structured(record)) {
    Asked asked = asked_in_structure(context, gang);
    if (!asked.rows.empty()) return asked;
  }
  Asked asked;
  asked.constraint = record.topology;
  asked.rows = group_rows(context.snapshot(), context.waiting_pods(gang));
  asked.placed = context.placed_nodes(gang);
  return asked;
}

// For pods that differ, the class that the cluster can take fewest of; of very many rows, only the
// first are compared.
PodClassId hardest_class(PlacementContext& context, std::span<const RowPods> rows) {
  constexpr size_t kMostRows = 256;
  PodClassId hardest = rows.front().pod_class;
  for (const RowPods& row : rows.first(std::min(rows.size(), kMostRows))) {
    if (context.fits().total(row.pod_class, FitMode::Future) <
        context.fits().total(hardest, FitMode::Future)) {
      hardest = row.pod_class;
    }
  }
  return hardest;
}

void name_domain(const PlacementContext& context, const NearestDomain& nearest, Reason& reason) {
  const Cluster& cluster = context.cluster();
  const Topology& topology = cluster.topologies()[nearest.topology];
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyTree& tree = context.snapshot().trees()[nearest.topology];
  reason.plugin = "topology";
  reason.topology = topology.name;
  reason.found = nearest.count;
  if (!nearest.domain.valid() || tree.level_of(nearest.domain) < 0) return;
  size_t level = static_cast<size_t>(tree.level_of(nearest.domain));
  reason.level = strings.view(topology.levels[level].label);
  for (StrId value : tree.path(nearest.domain)) reason.domain.emplace_back(strings.view(value));
}

// Reports where counts allow what a hard placement preference does not.
void report_of_skew(PlacementContext& context, PodClassId pod_class, const NearestDomain& nearest,
                    Reason& reason) {
  PodDivider* divider = context.hooks().pod_divider;
  bool by_count = reason.code == ReasonCode::NodesNoFit || reason.code == ReasonCode::TopologyNoFit;
  if (divider == nullptr || !by_count || reason.found < reason.needed) return;
  if (!divider->may_refuse(pod_class)) return;
  reason.code = ReasonCode::PlacementSkew;
  reason.plugin = "placementpreferences";
  reason.found = 0;
  DivisionQuery query{
      .pod_class = pod_class, .mode = FitMode::Future, .pods = reason.needed, .now = context.now()};
  if (nearest.domain.valid()) {
    query.nodes = context.snapshot().tree(nearest.topology).nodes(nearest.domain);
  }
  for (const NodePods& part : divider->divide(query)) reason.found += part.pods;
}

}  // namespace

Reason no_fit_reason(PlacementContext& context, GangId gang, int64_t needed, ReasonCode code) {
  const Cluster& cluster = context.cluster();
  Reason reason;
  reason.code = code;
  reason.needed = needed;
  reason.nodes = static_cast<int64_t>(context.snapshot().all_nodes().node_order().size());
  Asked asked = asked_of(context, gang);
  if (asked.rows.empty()) return reason;
  if (is_structured(cluster.gangs()[gang])) {
    reason.needed = 0;
    for (const RowPods& row : asked.rows) reason.needed += static_cast<int64_t>(row.pods.size());
  }
  if (asked.subgroup >= 0) {
    const Subgroup& part = cluster.gangs()[gang].subgroups[static_cast<size_t>(asked.subgroup)];
    reason.subgroup = cluster.vocabulary().strings.view(part.name);
  }
  if (!asked.segments.empty()) {
    reason.subject = "segments of " + std::to_string(asked.segments.back().size);
  }
  PodClassId hardest = hardest_class(context, asked.rows);
  NearestDomain nearest;
  if (code != ReasonCode::NodesNoFit)
    nearest = nearest_domain(context, asked, hardest, reason.needed);
  if (nearest.topology.valid()) {
    name_domain(context, nearest, reason);
  } else {
    reason.found = context.fits().total(hardest, FitMode::Future);
  }
  Statement::Checkpoint start = context.statement().checkpoint();
  if (!context.fits().exact(hardest)) {
    reason.found = place_linked(context, asked, hardest, reason.needed,
                                context.snapshot().tree(nearest.topology), nearest.domain);
  }
  if (nearest.unlabelled && reason.nodes > 0) {
    NodeId first = context.snapshot().all_nodes().node_order().front();
    reason.verdicts = {{ReasonCode::LevelLabelMissing, {}, "topology", reason.nodes, first}};
  } else {
    reason.verdicts =
        context.verdict_counts().of(context, hardest, nearest.topology, nearest.domain);
  }
  take_limit(reason);
  context.statement().rollback(start);
  report_of_skew(context, hardest, nearest, reason);
  return reason;
}

namespace {

// How many pods of the class the node could hold if nothing else were on it.
int64_t takes_when_empty(const PlacementContext& context, PodClassId pod_class, NodeId node) {
  NodeClassId node_class = context.snapshot().node_classes().of_node()[node];
  for (const auto& filter : context.hooks().class_filters) {
    if (filter.point->verdict(pod_class, node_class) != ReasonCode::None) return 0;
  }
  const auto& allocatable = context.snapshot().state().allocatable;
  int64_t pods = INT64_MAX;
  for (const ResourceAmount& item : context.cluster().pod_classes()[pod_class].requests.items()) {
    pods = std::min(pods, allocatable[item.resource][node] / item.amount);
  }
  return pods;
}

std::vector<NodeId> first_nodes(PlacementContext& context, PodClassId pod_class, int64_t pods) {
  std::vector<NodeId> nodes;
  for (NodeId node : context.snapshot().all_nodes().node_order()) {
    if (pods <= 0) break;
    int64_t takes = takes_when_empty(context, pod_class, node);
    if (takes <= 0) continue;
    nodes.push_back(node);
    pods -= takes;
  }
  return nodes;
}

}  // namespace

NearestPlace nearest_place(PlacementContext& context, GangId gang, int64_t needed,
                           ReasonCode code) {
  NearestPlace place;
  place.miss = no_fit_reason(context, gang, needed, code);
  Asked asked = asked_of(context, gang);
  if (asked.rows.empty()) return place;
  PodClassId hardest = hardest_class(context, asked.rows);
  NearestDomain nearest;
  if (!place.miss.domain.empty()) {
    nearest = nearest_domain(context, asked, hardest, place.miss.needed);
  }
  if (nearest.domain.valid()) {
    std::span<const NodeId> nodes = context.snapshot().tree(nearest.topology).nodes(nearest.domain);
    place.nodes.assign(nodes.begin(), nodes.end());
  } else {
    place.nodes = first_nodes(context, hardest, place.miss.needed);
  }
  return place;
}

namespace {

constexpr int64_t kWorkEach = 100'000;

bool place_first(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes,
                 size_t pods) {
  NodeGroup group;
  group.mode = context.fits().anything_leaving() ? FitMode::Future : FitMode::Now;
  group.exact = false;
  group.parts.push_back({nodes, 0});
  SearchRow some{row.pod_class, row.pods.first(pods)};
  SearchBudget budget(context.snapshot(), kWorkEach);
  return LinkedSearch(context, budget).place({&some, 1}, group);
}

}  // namespace

int64_t place_most(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes) {
  Statement::Checkpoint start = context.statement().checkpoint();
  size_t low = 0;                 // known to fit
  size_t high = row.pods.size();  // not known to fit
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    bool fits = place_first(context, row, nodes, middle);
    context.statement().rollback(start);
    if (fits) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low > 0 && !place_first(context, row, nodes, low)) return 0;
  return static_cast<int64_t>(low);
}

}  // namespace trellis
