// An array that only grows, and whose items never move: one thread may append while others read.
//
// Guarantees: an item stays at its address as long as the array lives. A thread that learned of an
// item's index from another thread, through any synchronisation, may read the item.
// REQUIRES: one thread at a time appends. Cost: access is two loads; an append is O(1).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

#include "framework/check.h"

namespace trellis {

template <class T>
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  const T& operator[](size_t index) const {
    require(index < size(), "an item of a growing array is in it");
    Position at = position(index);
    return chunks_[at.chunk].load(std::memory_order_acquire)[at.offset];
  }

  size_t size() const { return size_.load(std::memory_order_acquire); }

  // Returns the new item's index.
  size_t push_back(T value) {
    size_t index = size_.load(std::memory_order_relaxed);
    Position at = position(index);
    if (at.offset == 0) {
      memory_[at.chunk] = std::make_unique<T[]>(kFirst << at.chunk);
      chunks_[at.chunk].store(memory_[at.chunk].get(), std::memory_order_release);
    }
    memory_[at.chunk][at.offset] = std::move(value);
    size_.store(index + 1, std::memory_order_release);
    return index;
  }

 private:
  // Chunk k has twice the items of chunk k - 1.
  static constexpr size_t kFirst = 64;
  static constexpr size_t kChunks = 32;

  struct Position {
    size_t chunk;
    size_t offset;
  };
  static Position position(size_t index) {
    size_t from_first = index + kFirst;
    auto chunk = static_cast<size_t>(std::bit_width(from_first) - std::bit_width(kFirst));
    return {chunk, from_first - (kFirst << chunk)};
  }

  std::array<std::unique_ptr<T[]>, kChunks> memory_;
  std::array<std::atomic<T*>, kChunks> chunks_ = {};  // those of `memory_`
  std::atomic<size_t> size_ = 0;
};

}  // namespace trellis
