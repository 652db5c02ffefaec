// A text that is kept for long, of the size of a pointer, copied as a pointer.
//
// Objects of one kind differ in little: a name, a uid, a node. A packer stores a text as its
// differences from an earlier text, the base, which many texts share.
//
// Guarantees: str() returns the bytes that were stored. Copies may be used and destroyed in
// different threads. A base lives as long as a text that needs it. Cost: one allocation for a text;
// str() O(bytes of the text).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

class StoredText {
 public:
  StoredText() = default;  // no text, which is not the empty text
  explicit StoredText(std::string_view text);
  StoredText(const StoredText& other) : head_(other.head_) {
    if (head_ != nullptr) head_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  StoredText(StoredText&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  StoredText& operator=(StoredText other) noexcept {
    std::swap(head_, other.head_);
    return *this;
  }
  ~StoredText() { release(head_); }

  explicit operator bool() const { return head_ != nullptr; }
  // REQUIRES, for all that follow: there is a text.
  size_t size() const { return head_->size; }
  std::string str() const;
  // Replaces the content of `text`, and keeps its memory.
  void copy_to(std::string& text) const;
  // The bytes that are stored for this text alone.
  size_t stored_bytes() const;

  // Whether both have equal texts, or none has a text. Cost: nothing for two copies.
  bool operator==(const StoredText& other) const;

 private:
  friend class TextPacker;
  struct Head {
    std::atomic<uint32_t> owners = 1;
    uint32_t size = 0;
    Head* base = nullptr;  // null: the text follows as it is
  };

  // `base`: as the text was encoded with; it has no base itself.
  StoredText(size_t size, std::string_view encoded, const StoredText& base);
  static Head* make(std::string_view bytes);
  static const char* bytes_of(const Head* head) { return reinterpret_cast<const char*>(head + 1); }
  static void release(Head* head);

  Head* head_ = nullptr;  // the bytes follow it
};

// Packs the texts of one kind of objects. One thread at a time.
//
// Cost of a text: O(its bytes) for each base that is tried, at most kMostBases.
class TextPacker {
 public:
  static constexpr size_t kMostBases = 8;
  // Smaller texts gain nothing, larger ones are rare.
  static constexpr size_t kLeastBytes = 128;
  static constexpr size_t kMostBytes = 0xFFFF;

  StoredText pack(std::string_view text);

 private:
  struct Base {
    StoredText text;
    std::string_view bytes;          // of `text`
    std::vector<uint16_t> position;  // by hash of the bytes there; kNowhere: none has the hash
  };
  static Base make_base(const StoredText& text);
  bool encode(std::string_view text, const Base& base);

  std::vector<Base> bases_;  // the last used one first
  std::string encoded_;
};

}  // namespace trellis
