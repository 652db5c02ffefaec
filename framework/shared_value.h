// An immutable value that many records share: copied by pointer, compared by value.
//
// Guarantees: an empty SharedValue is less than any other. Cost: a pointer or two; comparing two
// that hold the same object costs only the comparison of the pointers.
#pragma once

#include <compare>
#include <memory>
#include <utility>

namespace trellis {

template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  explicit SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  const T* get() const { return value_.get(); }
  void reset() { value_.reset(); }

  bool operator==(const SharedValue& other) const {
    if (value_ == other.value_) return true;
    return value_ && other.value_ && *value_ == *other.value_;
  }
  std::strong_ordering operator<=>(const SharedValue& other) const
    requires std::three_way_comparable<T, std::strong_ordering>
  {
    if (value_ == other.value_) return std::strong_ordering::equal;
    if (!value_ || !other.value_) return bool(value_) <=> bool(other.value_);
    return *value_ <=> *other.value_;
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace trellis
