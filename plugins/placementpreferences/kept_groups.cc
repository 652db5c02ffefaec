#include "plugins/placementpreferences/kept_groups.h"

#include <algorithm>
#include <utility>

#include "framework/node_values.h"
#include "session/snapshot/change_log.h"
#include "topology/tree.h"

namespace trellis {
namespace {

constexpr size_t kMostEntries = 16;

// The preference over a resource, which can only be the last.
const PlacementPreference* over_resource(const PodSpec& spec) {
  for (const PlacementPreference& one : spec.placement.list) {
    if (one.over == PlacementPreference::Over::Resource) return &one;
  }
  return nullptr;
}

bool is_hard(const PodSpec& spec) {
  return std::ranges::any_of(spec.placement.list,
                             [](const PlacementPreference& one) { return one.max_skew > 0; });
}

}  // namespace

void KeptGroups::open(const View& view) {
  view_ = &view;
  failures_.restart();
  ++session_;
  if (view.node_values->generation() == generation_) return;
  generation_ = view.node_values->generation();
  entries_.clear();
  trees_.clear();
}

ServiceGroups& KeptGroups::of(const DivisionQuery& query) {
  const PodSpec& spec = (*view_->pod_classes)[query.pod_class];
  // Where nothing leaves, Future is the same as Now.
  FitMode mode = view_->counts->anything_leaving() ? query.mode : FitMode::Now;
  std::span<const FailingNode> failing = failures_.of(*view_, spec.placement.service, query.now);
  if (!query.nodes.empty()) return among(query, mode, failing);
  Entry& found = entry(query.pod_class, mode);
  asked_ = &found;
  found.used = ++clock_;
  auto touched = view_->changes->since(found.read_to);
  bool few = touched && touched->size() <= view_->nodes->size() / 4 + 8;
  // Hard preferences depend on which nodes are open, which may differ in each session.
  bool reopened = is_hard(spec) && found.session != session_;
  found.session = session_;
  bool other_failures = !std::ranges::equal(found.failing, failing);
  if (found.groups == nullptr || !few || reopened || other_failures) {
    found.failing.assign(failing.begin(), failing.end());
    if (found.groups == nullptr) {
      make(found, whole_tree(ServiceGroups::labels(spec.placement.list)));
    }
    load(found, room(found), found.tree->node_order());
  } else {
    follow(found, *touched);
  }
  found.read_to = view_->changes->end();
  return *found.groups;
}

ServiceGroups& KeptGroups::among(const DivisionQuery& query, FitMode mode,
                                 std::span<const FailingNode> failing) {
  among_.pod_class = query.pod_class;
  among_.mode = mode;
  among_.failing.assign(failing.begin(), failing.end());
  asked_ = &among_;
  std::vector<StrId> labels =
      ServiceGroups::labels((*view_->pod_classes)[query.pod_class].placement.list);
  if (!view_->counts->exact(query.pod_class)) {
    make(among_, whole_tree(labels));
    load(among_, room_on(among_, query.nodes), query.nodes);
    return *among_.groups;
  }
  std::vector<NodeId> nodes(query.nodes.begin(), query.nodes.end());
  auto position = [&](NodeId node) { return view_->all_nodes->position(node); };
  std::ranges::sort(nodes, {}, position);
  make(among_,
       std::make_shared<const GroupTree>(labels, nodes, *view_->nodes, view_->vocabulary->strings));
  load(among_, room(among_), nodes);
  return *among_.groups;
}

KeptGroups::Entry& KeptGroups::entry(PodClassId pod_class, FitMode mode) {
  for (const auto& known : entries_) {
    if (known->pod_class == pod_class && known->mode == mode) return *known;
  }
  if (entries_.size() == kMostEntries) {
    entries_.erase(
        std::ranges::min_element(entries_, {}, [](const auto& one) { return one->used; }));
  }
  entries_.push_back(std::make_unique<Entry>());
  entries_.back()->pod_class = pod_class;
  entries_.back()->mode = mode;
  return *entries_.back();
}

std::shared_ptr<const GroupTree> KeptGroups::whole_tree(const std::vector<StrId>& labels) {
  auto known = std::ranges::find(trees_, labels, &KeptTree::labels);
  if (known != trees_.end()) return known->tree;
  if (trees_.size() == kMostEntries) trees_.erase(trees_.begin());
  auto made = std::make_shared<const GroupTree>(labels, view_->all_nodes->node_order(),
                                                *view_->nodes, view_->vocabulary->strings);
  trees_.push_back({labels, made});
  return made;
}

void KeptGroups::make(Entry& entry, std::shared_ptr<const GroupTree> tree) {
  const PodSpec& spec = (*view_->pod_classes)[entry.pod_class];
  ResourceId named = resource(spec);
  int64_t request = named.valid() ? spec.requests.get(named) : 0;
  entry.groups = nullptr;
  entry.tree = std::move(tree);
  entry.groups = std::make_unique<ServiceGroups>(*entry.tree, spec.placement.list, request);
}

ResourceId KeptGroups::resource(const PodSpec& spec) const {
  const PlacementPreference* over = over_resource(spec);
  return over == nullptr ? ResourceId() : over->resource;
}

int64_t KeptGroups::used(const Entry& entry, ResourceId resource, NodeId node) const {
  const NodeState& state = *view_->state;
  return state.allocatable[resource][node] - state.columns(entry.mode)[resource][node];
}

ServiceNode KeptGroups::node_now(const Entry& entry, NodeId node) const {
  StrId service = (*view_->pod_classes)[entry.pod_class].placement.service;
  return {view_->counts->node_fit(node, entry.pod_class, entry.mode),
          ServicePods::running(pods_.at(service, node)),
          static_cast<int32_t>(used(entry, kPods, node))};
}

std::span<const int32_t> KeptGroups::room(const Entry& entry) const {
  return view_->counts->node_fits(entry.pod_class, entry.mode).span();
}

std::span<const int32_t> KeptGroups::room_on(const Entry& entry, std::span<const NodeId> nodes) {
  std::span<const int32_t> all = room(entry);
  room_.assign(all.size(), 0);
  for (NodeId node : nodes) room_[node.value] = all[node.value];
  return room_;
}

// `may_be_open`: nodes outside it are closed.
void KeptGroups::load(Entry& entry, std::span<const int32_t> room,
                      std::span<const NodeId> may_be_open) {
  const PodSpec& spec = (*view_->pod_classes)[entry.pod_class];
  size_t size = view_->nodes->size();
  std::span<const NodeId> nodes = entry.tree->node_order();
  running_.resize(size);
  all_pods_.resize(size);
  for (NodeId node : nodes) {
    running_[node.value] = 0;
    all_pods_[node.value] = static_cast<int32_t>(used(entry, kPods, node));
  }
  for (const auto& [node, count] : pods_.of(spec.placement.service)) {
    running_[node] = ServicePods::running(count);
  }
  ServiceColumns columns;
  columns.room = room;
  columns.running = running_;
  columns.pods = all_pods_;
  if (!entry.failing.empty()) {
    failing_.assign(size, 0);
    for (const FailingNode& one : entry.failing) failing_[one.node.value] = one.failures;
    columns.failures = failing_;
  }
  if (ResourceId named = resource(spec); named.valid()) {
    used_.resize(size);
    capacity_.resize(size);
    for (NodeId node : nodes) {
      used_[node.value] = used(entry, named, node);
      capacity_[node.value] = view_->state->allocatable[named][node];
    }
    columns.used = used_;
    columns.capacity = capacity_;
  }
  if (is_hard(spec)) {
    fill_closed(entry.pod_class, may_be_open);
    columns.closed = closed_;
  }
  entry.groups->load(columns);
}

// Closes the nodes that the class may not take, whatever room they have.
void KeptGroups::fill_closed(PodClassId pod_class, std::span<const NodeId> may_be_open) {
  closed_.assign(view_->nodes->size(), 1);
  for (NodeId node : may_be_open) {
    closed_[node.value] = view_->counts->class_verdict(pod_class, node) != ReasonCode::None ? 1 : 0;
  }
}

void KeptGroups::follow(Entry& entry, std::span<const NodeId> touched) {
  ResourceId named = resource((*view_->pod_classes)[entry.pod_class]);
  for (NodeId node : touched) {
    if (!entry.tree->contains(node)) continue;
    entry.groups->change(node, node_now(entry, node), named.valid() ? used(entry, named, node) : 0);
  }
}

}  // namespace trellis
