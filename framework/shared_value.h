// An immutable value that many records share: of the size of a pointer, copied as a pointer,
// compared by value.
//
// Guarantees: an empty SharedValue is less than any other; copies may be used and destroyed in
// different threads. Cost: one allocation for a value, however many copies it has; comparing two
// copies of one value does not look at it.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace trellis {

template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  SharedValue(std::nullptr_t) {}  // NOLINT: an empty one, as of pointers
  explicit SharedValue(T value) : cell_(new Cell{.value = std::move(value)}) {}
  SharedValue(const SharedValue& other) : cell_(other.cell_) {
    if (cell_ != nullptr) cell_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedValue(SharedValue&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  SharedValue& operator=(SharedValue other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~SharedValue() {
    if (cell_ != nullptr && cell_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete cell_;
    }
  }

  explicit operator bool() const { return cell_ != nullptr; }
  const T& operator*() const { return cell_->value; }
  const T* operator->() const { return &cell_->value; }
  const T* get() const { return cell_ == nullptr ? nullptr : &cell_->value; }
  void reset() { *this = {}; }
  // Whether another SharedValue has this value, not an equal one.
  bool is_shared() const {
    return cell_ != nullptr && cell_->owners.load(std::memory_order_relaxed) > 1;
  }
  // The value, to be changed through this SharedValue alone: a copy where others share it.
  T& edit() {
    if (cell_ == nullptr) {
      *this = SharedValue(T());
    } else if (is_shared()) {
      *this = SharedValue(cell_->value);
    }
    return cell_->value;
  }

  bool operator==(std::nullptr_t) const { return cell_ == nullptr; }
  bool operator==(const SharedValue& other) const {
    if (cell_ == other.cell_) return true;
    return cell_ != nullptr && other.cell_ != nullptr && **this == *other;
  }
  std::strong_ordering operator<=>(const SharedValue& other) const
    requires std::three_way_comparable<T, std::strong_ordering>
  {
    if (cell_ == other.cell_) return std::strong_ordering::equal;
    if (cell_ == nullptr || other.cell_ == nullptr) return bool(*this) <=> bool(other);
    return **this <=> *other;
  }

 private:
  struct Cell {
    std::atomic<uint32_t> owners = 1;
    T value;
  };

  Cell* cell_ = nullptr;  // null: empty
};

}  // namespace trellis
