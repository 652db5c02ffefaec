// A list that many records share: of the size of a pointer, copied as a pointer, compared by value.
//
// Guarantees: those of SharedValue; an empty list needs no memory.
// Cost: that of SharedValue; a change copies a list that others share.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "framework/shared_value.h"

namespace trellis {

template <class T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T> items) {  // NOLINT: a list
    if (!items.empty()) items_ = SharedValue(std::move(items));
  }
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  const std::vector<T>& all() const {
    static const std::vector<T> none;
    return items_ ? *items_ : none;
  }
  bool empty() const { return !items_; }
  size_t size() const { return all().size(); }
  const T& operator[](size_t at) const { return all()[at]; }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }

  void push_back(T item) { items_.edit().push_back(std::move(item)); }
  T& emplace_back() { return items_.edit().emplace_back(); }
  void clear() { items_.reset(); }

  bool operator==(const SharedList&) const = default;

 private:
  SharedValue<std::vector<T>> items_;  // never an empty list
};

}  // namespace trellis
