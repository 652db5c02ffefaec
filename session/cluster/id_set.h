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
  bool contains(Id id) const { return places_.contains(id) && places_[id] != 0; }

  void insert(Id id) {
    if (contains(id)) return;
    if (!places_.contains(id)) places_.resize(id.value + 1);
    ids_.push_back(id);
    places_[id] = static_cast<uint32_t>(ids_.size());
  }

  void erase(Id id) {
    if (!contains(id)) return;
    Id last = ids_.back();
    ids_[places_[id] - 1] = last;
    places_[last] = places_[id];
    places_[id] = 0;
    ids_.pop_back();
  }

  std::span<const Id> ids() const { return ids_; }

 private:
  std::vector<Id> ids_;
  IndexedVector<Id, uint32_t> places_;  // index in ids_, from 1; 0: not in the set
};

}  // namespace trellis
