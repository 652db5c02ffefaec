// Interned strings: equal text has equal StrId, so the core compares ids instead of text.
//
// Guarantees: an id stays valid, and `view` of it stays at one address, as long as the table lives.
// Threads may intern and view at the same time.
// StrId order is the order of first appearance and carries no meaning: sort by text, never by id.
// Cost: `intern` one hash look-up, and a lock for a text that is new; `view` two array accesses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "framework/growing_array.h"
#include "framework/ids.h"
#include "framework/text_arena.h"

namespace trellis {

class StringTable {
 public:
  StringTable();

  StrId intern(std::string_view text);
  StrId find(std::string_view text) const;  // kNone when it was never interned
  std::string_view view(StrId id) const { return texts_[id.value]; }
  size_t size() const { return texts_.size(); }

  static constexpr StrId kEmpty{0U};  // ""

 private:
  // Open addressing with linear probing. A slot holds an id and a half of its text's hash, so that
  // most other texts are not looked at; an empty slot is kVacant. Slots are filled once, and never
  // cleared: a reader needs no lock.
  struct Index {
    explicit Index(size_t capacity);  // a power of two
    StrId find(uint64_t hash, std::string_view text, const StringTable& table) const;
    void insert(uint64_t hash, StrId id);

    std::vector<std::atomic<uint64_t>> slots;
  };
  static constexpr uint64_t kVacant = UINT64_MAX;

  StrId add(uint64_t hash, std::string_view text);
  void grow();

  GrowingArray<std::string_view> texts_;  // in the arena
  std::atomic<const Index*> index_;       // the last of `indexes_`
  std::mutex adding_;                     // held to change what follows, and `texts_`
  TextArena arena_;
  // The earlier ones are kept for the threads that still read them; together they are as large as
  // the last.
  std::vector<std::unique_ptr<Index>> indexes_;
};

}  // namespace trellis
