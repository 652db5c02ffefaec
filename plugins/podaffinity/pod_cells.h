// Cells: how many pods of a kind are on the nodes that have one value of a label.
//
// Words: a cell table counts pods by the value of one key. It counts the pods that all of some
// selectors select, or the pods that own a term of one selector (weighted, where the term is).
// Guarantees: a table that was read agrees with PlacedPods; a table that was never read costs
// nothing but its entry.
// Cost: a placement O(tables that count the pod); a read O(1).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "framework/node_values.h"
#include "framework/placed_pods.h"
#include "framework/plugin.h"

namespace trellis {

using CellTableId = StrongId<struct CellTableTag>;

class PodCells {
 public:
  enum class Kind : uint8_t { Selected, RepellingOwners, WeightedOwners };

  // Reads pod classes that are new; drops all counts when nodes changed labels.
  void open(const View& view);

  CellTableId table(Kind kind, std::vector<PodSelectorId> selectors, StrId key);
  // Tables of one selector's owners.
  const std::vector<CellTableId>& owners(Kind kind, PodSelectorId selector) const;

  // Whether the class has pod terms of its own, or a selector of some term selects it.
  bool tracks(PodClassId pod_class) const;
  void change(PodClassId pod_class, NodeId node, Presence presence, int64_t by);

  const KeyValues& values(CellTableId table) const { return *tables_[table].values; }
  StrId key(CellTableId table) const { return tables_[table].key; }
  PodCount at(CellTableId table, NodeId node);
  // The sum over all nodes that have the key.
  PodCount total(CellTableId table);
  bool empty(CellTableId table) { return counted(table).cells.empty(); }

  // Grows when a table becomes empty or gets its first pod.
  uint64_t crossings() const { return crossings_; }

 private:
  struct Table {
    Kind kind = Kind::Selected;
    std::vector<PodSelectorId> selectors;  // sorted
    StrId key;
    const KeyValues* values = nullptr;
    bool counted = false;
    PodCount total;
    absl::flat_hash_map<int32_t, PodCount> cells;          // by number of the value
    std::vector<std::pair<PodClassId, int64_t>> by_owner;  // weight of each class, for owners
  };

  void read_class(PodClassId pod_class);
  void add_owner(Kind kind, const PodTerm& term, PodClassId pod_class, int64_t weight);
  Table& counted(CellTableId id);
  void count(Table& table);
  void bump(Table& table, NodeId node, Presence presence, int64_t by);
  bool selects(const Table& table, PodClassId pod_class) const;

  const View* view_ = nullptr;
  uint64_t generation_ = 0;
  size_t classes_read_ = 0;
  PlacedPods placed_;
  IndexedVector<CellTableId, Table> tables_;
  std::map<std::tuple<Kind, std::vector<PodSelectorId>, StrId>, CellTableId> ids_;
  IndexedVector<PodSelectorId, std::vector<CellTableId>> selected_by_;  // first selector's tables
  IndexedVector<PodSelectorId, std::vector<CellTableId>> repellers_;
  IndexedVector<PodSelectorId, std::vector<CellTableId>> attractors_;
  IndexedVector<PodSelectorId, std::vector<PodClassId>> classes_of_;
  // The tables in which the class counts as an owner, with its weight.
  IndexedVector<PodClassId, std::vector<std::pair<CellTableId, int64_t>>> owned_;
  uint64_t crossings_ = 0;
};

}  // namespace trellis
