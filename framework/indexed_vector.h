// A vector that can only be subscripted by its own id type.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace trellis {

template <class Id, class T>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(size_t size, const T& value = T()) : items_(size, value) {}

  T& operator[](Id id) { return items_[id.value]; }
  const T& operator[](Id id) const { return items_[id.value]; }

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(Id id) const { return id.value < items_.size(); }
  Id next_id() const { return Id(items_.size()); }

  Id push_back(T value) {
    items_.push_back(std::move(value));
    return Id(items_.size() - 1);
  }
  void resize(size_t size, const T& value = T()) { items_.resize(size, value); }
  void assign(size_t size, const T& value) { items_.assign(size, value); }
  void reserve(size_t size) { items_.reserve(size); }
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
  std::vector<T> items_;
};

}  // namespace trellis
