// A set of ids: insert and erase O(1), in no order. Memory: 4 bytes for every id up to the largest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/indexed_vector.h"

namespace trellis {

template <class Id>
class IdSet {
 public:
  bool contains(Id id) const { return index_.contains(id) && index_[id] != 0; }

  void insert(Id id) {
    if (contains(id)) return;
    if (!index_.contains(id)) index_.resize(id.value + 1);
    ids_.push_back(id);
    index_[id] = static_cast<uint32_t>(ids_.size());
  }

  void erase(Id id) {
    if (!contains(id)) return;
    Id last = ids_.back();
    ids_[index_[id] - 1] = last;
    index_[last] = index_[id];
    index_[id] = 0;
    ids_.pop_back();
  }

  std::span<const Id> ids() const { return ids_; }

 private:
  std::vector<Id> ids_;
  IndexedVector<Id, uint32_t> index_;  // index in ids_, from 1; 0: not in the set
};

}  // namespace trellis
