// The free volumes and the storage pools of a cluster, by the nodes that can use them.
//
// Words: a *shelf* is the volumes of one storage class that the same nodes can use; the *stock* of
// a node is its shelves and pools, and is one for all nodes that have the same ones.
// Cost: refresh() O(volumes + pools + nodes that can use them) when storage or labels changed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/view.h"
#include "framework/volumes.h"

namespace trellis {

class StorageStock {
 public:
  struct Shelf {
    StrId storage_class;
    std::vector<uint32_t> volumes;  // the smallest first, then by name
  };
  struct Stock {
    std::vector<uint32_t> shelves;
    std::vector<uint32_t> pools;
    auto operator<=>(const Stock&) const = default;
  };
  // All that there is of one storage class.
  struct OfClass {
    bool has_volumes = false;
    bool shares_volumes = false;  // several nodes can use one
    bool shares_pools = false;
    std::vector<StrId> keys;  // labels that decide which nodes can use what
  };

  // True: the storage is another one than at the last call.
  bool refresh(const View& view);

  const Volume& volume(uint32_t index) const { return *volumes_[index]; }
  size_t volumes() const { return volumes_.size(); }
  const StoragePool& pool(uint32_t index) const { return *pools_[index]; }
  size_t pools() const { return pools_.size(); }
  const Shelf& shelf(uint32_t index) const { return shelves_[index]; }
  const Stock& stock(NodeId node) const { return stocks_[stock_number(node)]; }
  const Stock& stock_by_number(uint32_t number) const { return stocks_[number]; }
  uint32_t stock_number(NodeId node) const {
    return stock_of_.contains(node) ? stock_of_[node] : 0;
  }
  bool can_use(NodeId node, uint32_t volume) const;
  // The volumes that are kept for a claim, by name.
  std::span<const uint32_t> kept_for(StrId claim) const;
  const OfClass& of_class(StrId storage_class) const;

 private:
  using Terms = std::vector<SelectorTerm>;

  void clear();
  void add_volumes();
  void add_pools();
  void number_stocks();
  std::vector<NodeId> nodes_of(const Terms& terms);
  std::vector<NodeId> nodes_of(const std::vector<Requirement>& requirements);
  const std::vector<NodeId>& with_label(StrId key, StrId value);
  void add_keys(const std::vector<Requirement>& requirements, OfClass& of) const;

  const View* view_ = nullptr;
  uint64_t storage_epoch_ = 0;
  uint64_t label_generation_ = 0;
  size_t nodes_read_ = 0;
  std::vector<const Volume*> volumes_;     // by name
  std::vector<uint32_t> shelf_of_;         // by volume
  std::vector<const StoragePool*> pools_;  // by name
  std::vector<Shelf> shelves_;
  IndexedVector<NodeId, Stock> found_;  // while stocks are made
  IndexedVector<NodeId, uint32_t> stock_of_;
  std::vector<Stock> stocks_;
  std::map<StrId, OfClass> classes_;
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> kept_;  // by the claim's name
  // The nodes by the value of a label; never iterated.
  absl::flat_hash_map<uint32_t, absl::flat_hash_map<uint32_t, std::vector<NodeId>>> by_label_;
  std::vector<NodeId> all_;
};

// Whether the volume, free or kept for this claim, has what the claim needs, wherever it is.
bool suits(const VolumeNeed& need, const Volume& volume, const StringTable& strings);
// The part of that which a volume kept for the claim must have, too.
bool suits_kept(const VolumeNeed& need, const Volume& volume);

}  // namespace trellis
