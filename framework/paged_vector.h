// A vector by id in pages of items; a successor shares the pages that it does not change.
//
// Guarantees: a copy shares no page. The result of share() shares all pages until it writes to
// them; the vector that was shared is not written any more, so that any thread may read it.
// Cost: share() O(pages); the first write to a page that is shared O(kPageItems).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "framework/check.h"

namespace trellis {

template <class Id, class T>
class PagedVector {
 public:
  static constexpr size_t kPageItems = 64;

  PagedVector() = default;
  PagedVector(const PagedVector& other) { *this = other; }
  PagedVector(PagedVector&&) = default;
  PagedVector& operator=(PagedVector&&) = default;
  PagedVector& operator=(const PagedVector& other) {
    if (this == &other) return *this;
    *this = other.share();
    for (size_t page = 0; page < pages_.size(); ++page) own_page(page);
    return *this;
  }
  ~PagedVector() = default;

  // REQUIRES: this vector is not written to any more.
  PagedVector share() const {
    PagedVector next;
    next.size_ = size_;
    next.pages_ = pages_;
    next.owned_.assign(pages_.size(), 0);
    return next;
  }

  size_t size() const { return size_; }
  bool contains(Id id) const { return id.value < size_; }
  const T& operator[](Id id) const {
    if (!contains(id)) [[unlikely]]
      missing(id);
    return (*pages_[id.value / kPageItems])[id.value % kPageItems];
  }
  // The item, for writing.
  T& own(Id id) {
    if (!contains(id)) [[unlikely]]
      missing(id);
    return own_page(id.value / kPageItems)[id.value % kPageItems];
  }

  // REQUIRES: size >= this->size().
  void grow(size_t size) {
    size_ = size;
    while (pages_.size() * kPageItems < size) {
      pages_.push_back(std::make_shared<Page>());
      owned_.push_back(1);
    }
  }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    Iterator(const PagedVector& items, size_t at) : items_(&items), at_(at) {}
    const T& operator*() const { return (*items_)[Id(static_cast<uint32_t>(at_))]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const PagedVector* items_;
    size_t at_;
  };
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, size_); }

  bool operator==(const PagedVector& other) const {
    if (size_ != other.size_) return false;
    for (size_t page = 0; page < pages_.size(); ++page) {
      bool same = pages_[page] == other.pages_[page] || *pages_[page] == *other.pages_[page];
      if (!same) return false;
    }
    return true;
  }

 private:
  using Page = std::array<T, kPageItems>;

  [[noreturn, gnu::cold, gnu::noinline]] void missing(Id id) const {
    break_bounds(id.value, size_, __PRETTY_FUNCTION__);
  }

  Page& own_page(size_t page) {
    if (owned_[page] == 0) {
      pages_[page] = std::make_shared<Page>(*pages_[page]);
      owned_[page] = 1;
    }
    return *pages_[page];
  }

  size_t size_ = 0;
  std::vector<std::shared_ptr<Page>> pages_;
  std::vector<uint8_t> owned_;  // by page: no other vector has it
};

}  // namespace trellis
