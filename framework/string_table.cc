#include "framework/string_table.h"

#include <absl/hash/hash.h>

namespace trellis {
namespace {

constexpr size_t kFirstCapacity = 64;

constexpr uint64_t kHalf = 32;

uint64_t hash_of(std::string_view text) { return absl::HashOf(text); }

}  // namespace

StringTable::Index::Index(size_t capacity) : slots(capacity) {
  for (std::atomic<uint64_t>& slot : slots) slot.store(kVacant, std::memory_order_relaxed);
}

StrId StringTable::Index::find(uint64_t hash, std::string_view text,
                               const StringTable& table) const {
  size_t mask = slots.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    uint64_t slot = slots[at].load(std::memory_order_acquire);
    if (slot == kVacant) return {};
    if (slot >> kHalf != hash >> kHalf) continue;
    StrId id(static_cast<uint32_t>(slot));
    if (table.view(id) == text) return id;
  }
}

void StringTable::Index::insert(uint64_t hash, StrId id) {
  size_t mask = slots.size() - 1;
  size_t at = hash & mask;
  while (slots[at].load(std::memory_order_relaxed) != kVacant) at = (at + 1) & mask;
  slots[at].store((hash >> kHalf << kHalf) | id.value, std::memory_order_release);
}

StringTable::StringTable() {
  indexes_.push_back(std::make_unique<Index>(kFirstCapacity));
  index_.store(indexes_.back().get(), std::memory_order_release);
  intern("");
}

StrId StringTable::intern(std::string_view text) {
  uint64_t hash = hash_of(text);
  StrId id = index_.load(std::memory_order_acquire)->find(hash, text, *this);
  return id.valid() ? id : add(hash, text);
}

StrId StringTable::find(std::string_view text) const {
  return index_.load(std::memory_order_acquire)->find(hash_of(text), text, *this);
}

StrId StringTable::add(uint64_t hash, std::string_view text) {
  std::lock_guard lock(adding_);
  // Another thread may have added the text in the meantime.
  if (StrId id = indexes_.back()->find(hash, text, *this); id.valid()) return id;
  StrId id(texts_.push_back(arena_.keep(text)));
  indexes_.back()->insert(hash, id);
  if (texts_.size() * 3 > indexes_.back()->slots.size() * 2) grow();
  return id;
}

void StringTable::grow() {
  auto larger = std::make_unique<Index>(indexes_.back()->slots.size() * 2);
  for (size_t i = 0; i < texts_.size(); ++i) larger->insert(hash_of(texts_[i]), StrId(i));
  index_.store(larger.get(), std::memory_order_release);
  indexes_.push_back(std::move(larger));
}

}  // namespace trellis
