// A vector that can only be subscripted by its own id type. An id out of range, kNone included, is
// a broken check (framework/check.h), in every build.
//
// A large vector grows by an eighth: objects are added one by one and rarely, and where a vector
// doubles, half of its memory may stay unused. So many objects at once need reserve().
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "framework/check.h"

namespace trellis {

template <class Id, class T>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(size_t size, const T& value = T()) : items_(size, value) {}

  T& operator[](Id id) {
    if (id.value >= items_.size()) [[unlikely]]
      missing(id);
    return items_.begin()[id.value];
  }
  const T& operator[](Id id) const {
    if (id.value >= items_.size()) [[unlikely]]
      missing(id);
    return items_.begin()[id.value];
  }

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(Id id) const { return id.value < items_.size(); }
  Id next_id() const { return Id(items_.size()); }

  Id push_back(T value) {
    reserve(items_.size() + 1);
    items_.push_back(std::move(value));
    return Id(items_.size() - 1);
  }
  void resize(size_t size, const T& value = T()) {
    reserve(size);
    items_.resize(size, value);
  }
  void assign(size_t size, const T& value) { items_.assign(size, value); }
  // Makes room for so many items in all, and for some more where it grows.
  void reserve(size_t size) {
    if (size > items_.capacity()) [[unlikely]]
      grow(size);
  }
  void clear() { items_.clear(); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  std::span<const T> span() const { return items_; }
  std::span<T> span() { return items_; }

  bool operator==(const IndexedVector&) const = default;

 private:
  [[gnu::noinline]] void grow(size_t size) {
    constexpr size_t kLarge = 1024;
    size_t now = items_.capacity();
    items_.reserve(std::max(size, now < kLarge ? 2 * now : now + now / 8));
  }
  [[noreturn, gnu::cold, gnu::noinline]] void missing(Id id) const {
    break_bounds(id.value, items_.size(), __PRETTY_FUNCTION__);
  }

  std::vector<T> items_;
};

}  // namespace trellis
