#include "plugins/volumes/storage_stock.h"

#include <algorithm>

#include "framework/node_values.h"
#include "framework/selectors.h"

namespace trellis {

bool suits_kept(const VolumeNeed& need, const Volume& volume) {
  const VolumeNeed& is = volume.is;
  return is.storage_class == need.storage_class && is.bytes >= need.bytes &&
         is.block == need.block && is.attributes_class == need.attributes_class;
}

bool suits(const VolumeNeed& need, const Volume& volume, const StringTable& strings) {
  if (!suits_kept(need, volume) || (need.modes & ~volume.is.modes) != 0) return false;
  return std::ranges::all_of(need.selector, [&](const Requirement& requirement) {
    return matches(requirement, find_label(volume.labels, requirement.key), strings);
  });
}

bool StorageStock::refresh(const View& view) {
  view_ = &view;
  bool same = storage_epoch_ == view.storage->epoch && nodes_read_ == view.nodes->size() &&
              label_generation_ == view.node_values->generation();
  if (same) return false;
  storage_epoch_ = view.storage->epoch;
  nodes_read_ = view.nodes->size();
  label_generation_ = view.node_values->generation();
  clear();
  if (view.storage->volumes.empty() && view.storage->pools.empty()) return true;
  for (NodeId node(0U); node.value < view.nodes->size(); ++node.value) {
    if (!(*view.nodes)[node].name.empty()) all_.push_back(node);
  }
  found_.resize(view.nodes->size());
  add_volumes();
  add_pools();
  number_stocks();
  return true;
}

void StorageStock::clear() {
  volumes_.clear();
  shelf_of_.clear();
  pools_.clear();
  shelves_.clear();
  found_.clear();
  stock_of_.clear();
  stocks_.assign(1, {});
  classes_.clear();
  kept_.clear();
  by_label_.clear();
  all_.clear();
}

void StorageStock::add_volumes() {
  using Place = std::pair<StrId, std::optional<Terms>>;
  std::map<Place, uint32_t> known;
  for (const auto& [name, volume] : view_->storage->volumes) {
    auto index = static_cast<uint32_t>(volumes_.size());
    volumes_.push_back(&volume);
    if (volume.claim.valid()) kept_[volume.claim.value].push_back(index);
    auto [at, fresh] = known.try_emplace(Place(volume.is.storage_class, volume.nodes),
                                         static_cast<uint32_t>(shelves_.size()));
    if (fresh) {
      shelves_.push_back({volume.is.storage_class, {}});
      OfClass& of = classes_[volume.is.storage_class];
      const std::vector<NodeId>& nodes = volume.nodes ? nodes_of(*volume.nodes) : all_;
      for (NodeId node : nodes) found_[node].shelves.push_back(at->second);
      of.has_volumes = true;
      of.shares_volumes = of.shares_volumes || nodes.size() > 1;
      if (volume.nodes) {
        for (const SelectorTerm& term : *volume.nodes) add_keys(term.labels, of);
      }
    }
    shelves_[at->second].volumes.push_back(index);
    shelf_of_.push_back(at->second);
  }
  for (Shelf& shelf : shelves_) {
    std::ranges::stable_sort(shelf.volumes, {},
                             [&](uint32_t index) { return volumes_[index]->is.bytes; });
  }
}

void StorageStock::add_pools() {
  for (const auto& [name, pool] : view_->storage->pools) {
    auto index = static_cast<uint32_t>(pools_.size());
    pools_.push_back(&pool);
    std::vector<NodeId> nodes = nodes_of(pool.nodes);
    for (NodeId node : nodes) found_[node].pools.push_back(index);
    OfClass& of = classes_[pool.storage_class];
    of.shares_pools = of.shares_pools || nodes.size() > 1;
    add_keys(pool.nodes, of);
  }
}

void StorageStock::number_stocks() {
  std::map<Stock, uint32_t> known = {{Stock(), 0}};
  stock_of_.assign(found_.size(), 0);
  for (NodeId node : all_) {
    auto [at, fresh] = known.try_emplace(found_[node], static_cast<uint32_t>(stocks_.size()));
    if (fresh) stocks_.push_back(found_[node]);
    stock_of_[node] = at->second;
  }
  found_.clear();
  for (auto& [name, of] : classes_) {
    std::ranges::sort(of.keys);
    of.keys.erase(std::unique(of.keys.begin(), of.keys.end()), of.keys.end());
  }
}

void StorageStock::add_keys(const std::vector<Requirement>& requirements, OfClass& of) const {
  for (const Requirement& requirement : requirements) of.keys.push_back(requirement.key);
}

const std::vector<NodeId>& StorageStock::with_label(StrId key, StrId value) {
  auto [at, fresh] = by_label_.try_emplace(key.value);
  if (fresh) {
    for (NodeId node : all_) {
      StrId has = find_label((*view_->nodes)[node].labels, key);
      if (has.valid()) at->second[has.value].push_back(node);
    }
  }
  return at->second[value.value];
}

std::vector<NodeId> StorageStock::nodes_of(const std::vector<Requirement>& requirements) {
  auto selects = std::ranges::find(requirements, SelectorOp::In, &Requirement::op);
  std::vector<NodeId> open;
  if (selects == requirements.end()) {
    open = all_;
  } else {
    for (StrId value : selects->values) {
      const std::vector<NodeId>& some = with_label(selects->key, value);
      open.insert(open.end(), some.begin(), some.end());
    }
  }
  std::erase_if(open, [&](NodeId node) {
    const Labels& labels = (*view_->nodes)[node].labels;
    return !std::ranges::all_of(requirements, [&](const Requirement& requirement) {
      return matches(requirement, find_label(labels, requirement.key), view_->vocabulary->strings);
    });
  });
  std::ranges::sort(open);
  open.erase(std::unique(open.begin(), open.end()), open.end());
  return open;
}

std::vector<NodeId> StorageStock::nodes_of(const Terms& terms) {
  std::vector<NodeId> all;
  for (const SelectorTerm& term : terms) {
    for (NodeId node : nodes_of(term.labels)) {
      const Node& record = (*view_->nodes)[node];
      if (matches(term, record.labels, record.name, view_->vocabulary->strings)) {
        all.push_back(node);
      }
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool StorageStock::can_use(NodeId node, uint32_t volume) const {
  return std::ranges::binary_search(stock(node).shelves, shelf_of_[volume]);
}

std::span<const uint32_t> StorageStock::kept_for(StrId claim) const {
  auto found = kept_.find(claim.value);
  if (!claim.valid() || found == kept_.end()) return {};
  return found->second;
}

const StorageStock::OfClass& StorageStock::of_class(StrId storage_class) const {
  static const OfClass kNothing;
  auto found = classes_.find(storage_class);
  return found == classes_.end() ? kNothing : found->second;
}

}  // namespace trellis
