// A short immutable text that many records share: of the size of a pointer, copied as a pointer.
//
// Guarantees: copies may be used and destroyed in different threads. An empty text needs no memory.
// Cost: one allocation for a text, however many copies it has; comparing two copies of one text
// does not look at it.
#pragma once

#include <atomic>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text) : head_(text.empty() ? nullptr : make(text)) {}  // NOLINT
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}  // NOLINT: a text
  SharedText(const char* text) : SharedText(std::string_view(text)) {}         // NOLINT: a text
  SharedText(const SharedText& other) : head_(other.head_) {
    if (head_ != nullptr) head_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(head_, other.head_);
    return *this;
  }
  ~SharedText() { release(); }

  std::string_view view() const {
    if (head_ == nullptr) return {};
    return {reinterpret_cast<const char*>(head_ + 1), head_->length};
  }
  operator std::string_view() const { return view(); }          // NOLINT: a text
  operator std::string() const { return std::string(view()); }  // NOLINT: a text
  bool empty() const { return head_ == nullptr; }
  size_t size() const { return view().size(); }
  // Whether another text is a copy of this one.
  bool is_shared() const {
    return head_ != nullptr && head_->owners.load(std::memory_order_relaxed) > 1;
  }
  void clear() { *this = {}; }

  template <std::convertible_to<std::string_view> Text>
  bool operator==(const Text& other) const {
    if constexpr (std::same_as<Text, SharedText>) {
      if (head_ == other.head_) return true;
    }
    return view() == std::string_view(other);
  }
  template <std::convertible_to<std::string_view> Text>
  std::strong_ordering operator<=>(const Text& other) const {
    return view() <=> std::string_view(other);
  }
  friend std::string operator+(std::string text, const SharedText& more) {
    return std::move(text.append(more.view()));
  }
  friend std::string operator+(const SharedText& text, std::string_view more) {
    return std::string(text).append(more);
  }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) {
    return out << text.view();
  }

 private:
  struct Head {
    std::atomic<uint32_t> owners = 1;
    uint32_t length = 0;
  };

  static Head* make(std::string_view text) {
    void* memory = ::operator new(sizeof(Head) + text.size());
    auto* head = new (memory) Head;
    head->length = static_cast<uint32_t>(text.size());
    std::memcpy(static_cast<void*>(head + 1), text.data(), text.size());
    return head;
  }
  void release() {
    if (head_ == nullptr || head_->owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    head_->~Head();
    ::operator delete(head_);
  }

  Head* head_ = nullptr;  // the characters follow it; null: the text is empty
};

// For hash tables that are looked up by any text: Debian's absl has a string_view of its own.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
struct TextEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

}  // namespace trellis
