#include "plugins/podaffinity/pod_cells.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

constexpr int64_t kRequiredAffinityWeight = 1;  // Kubernetes' hardPodAffinityWeight

template <class Id, class T>
T& grown(IndexedVector<Id, T>& table, Id id) {
  if (!table.contains(id)) table.resize(id.value + 1);
  return table[id];
}

}  // namespace

void PodCells::open(const View& view) {
  view_ = &view;
  if (generation_ != view.node_values->generation()) {
    generation_ = view.node_values->generation();
    for (Table& table : tables_) {
      table.values = &view.node_values->of(table.key);
      table.counted = false;
    }
  }
  for (; classes_read_ < view.pod_classes->size(); ++classes_read_) {
    read_class(PodClassId(classes_read_));
  }
}

void PodCells::read_class(PodClassId pod_class) {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  for (PodSelectorId selector : spec.matched) grown(classes_of_, selector).push_back(pod_class);
  for (const PodTerm& term : spec.pod_anti_affinity) {
    add_owner(Kind::RepellingOwners, term, pod_class, 1);
  }
  for (const PodTerm& term : spec.pod_affinity) {
    add_owner(Kind::WeightedOwners, term, pod_class, kRequiredAffinityWeight);
  }
  for (const WeightedPodTerm& weighted : spec.preferred_pods) {
    add_owner(Kind::WeightedOwners, weighted.term, pod_class, weighted.weight);
  }
}

void PodCells::add_owner(Kind kind, const PodTerm& term, PodClassId pod_class, int64_t weight) {
  if (!term.selector.valid()) return;
  CellTableId id = table(kind, {term.selector}, term.key);
  tables_[id].by_owner.emplace_back(pod_class, weight);
  tables_[id].counted = false;
  grown(owned_, pod_class).emplace_back(id, weight);
}

CellTableId PodCells::table(Kind kind, std::vector<PodSelectorId> selectors, StrId key) {
  std::sort(selectors.begin(), selectors.end());
  selectors.erase(std::unique(selectors.begin(), selectors.end()), selectors.end());
  auto [at, fresh] = ids_.try_emplace({kind, selectors, key}, tables_.next_id());
  if (!fresh) return at->second;
  Table& made = tables_[tables_.push_back({})];
  made.kind = kind;
  made.selectors = std::move(selectors);
  made.key = key;
  made.values = &view_->node_values->of(key);
  PodSelectorId first = made.selectors.front();
  auto& index = kind == Kind::Selected          ? selected_by_
                : kind == Kind::RepellingOwners ? repellers_
                                                : attractors_;
  grown(index, first).push_back(at->second);
  return at->second;
}

const std::vector<CellTableId>& PodCells::owners(Kind kind, PodSelectorId selector) const {
  static const std::vector<CellTableId> kNone;
  const auto& index = kind == Kind::RepellingOwners ? repellers_ : attractors_;
  return index.contains(selector) ? index[selector] : kNone;
}

bool PodCells::tracks(PodClassId pod_class) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  return !spec.matched.empty() || !spec.pod_affinity.empty() || !spec.pod_anti_affinity.empty() ||
         !spec.preferred_pods.empty();
}

bool PodCells::selects(const Table& table, PodClassId pod_class) const {
  const std::vector<PodSelectorId>& matched = (*view_->pod_classes)[pod_class].matched;
  return std::includes(matched.begin(), matched.end(), table.selectors.begin(),
                       table.selectors.end());
}

void PodCells::change(PodClassId pod_class, NodeId node, Presence presence, int64_t by) {
  placed_.add(pod_class, node, presence, by);
  for (PodSelectorId selector : (*view_->pod_classes)[pod_class].matched) {
    if (!selected_by_.contains(selector)) continue;
    for (CellTableId id : selected_by_[selector]) {
      Table& table = tables_[id];
      if (table.counted && selects(table, pod_class)) bump(table, node, presence, by);
    }
  }
  if (!owned_.contains(pod_class)) return;
  for (const auto& [id, weight] : owned_[pod_class]) {
    if (tables_[id].counted) bump(tables_[id], node, presence, by * weight);
  }
}

void PodCells::bump(Table& table, NodeId node, Presence presence, int64_t by) {
  int32_t value = table.values->of_node[node];
  if (value == KeyValues::kNone) return;
  PodCount& cell = table.cells[value];
  cell.add(presence, by);
  if (cell.empty()) table.cells.erase(value);
  bool was_empty = table.total.empty();
  table.total.add(presence, by);
  if (was_empty != table.total.empty()) ++crossings_;
}

void PodCells::count(Table& table) {
  table.cells.clear();
  table.total = {};
  table.counted = true;
  auto add = [&](PodClassId pod_class, int64_t weight) {
    for (const auto& [node, count] : placed_.of(pod_class)) {
      int32_t value = table.values->of_node[NodeId(node)];
      if (value == KeyValues::kNone) continue;
      table.cells[value].add(count, weight);
      table.total.add(count, weight);
    }
  };
  if (table.kind != Kind::Selected) {
    for (const auto& [pod_class, weight] : table.by_owner) add(pod_class, weight);
    return;
  }
  PodSelectorId first = table.selectors.front();
  if (!classes_of_.contains(first)) return;
  for (PodClassId pod_class : classes_of_[first]) {
    if (selects(table, pod_class)) add(pod_class, 1);
  }
}

PodCells::Table& PodCells::counted(CellTableId id) {
  Table& table = tables_[id];
  if (!table.counted) count(table);
  return table;
}

PodCount PodCells::at(CellTableId id, NodeId node) {
  Table& table = counted(id);
  int32_t value = table.values->of_node[node];
  if (value == KeyValues::kNone) return {};
  auto found = table.cells.find(value);
  return found == table.cells.end() ? PodCount() : found->second;
}

PodCount PodCells::total(CellTableId id) { return counted(id).total; }

}  // namespace trellis
