// Interned strings: equal text has equal StrId, so the core compares ids instead of text.
//
// Guarantees: an id stays valid, and `view` of it stays at one address, as long as the table lives.
// StrId order is the order of first appearance and carries no meaning: sort by text, never by id.
// Cost: `intern` one hash look-up; `view` one array access.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "framework/check.h"
#include "framework/ids.h"
#include "framework/text_arena.h"

namespace trellis {

class StringTable {
 public:
  StringTable();

  StrId intern(std::string_view text);
  StrId find(std::string_view text) const;  // kNone when it was never interned
  std::string_view view(StrId id) const {
    require(id.value < texts_->size(), "a string id is one of its table");
    return (*texts_)[id.value];
  }
  size_t size() const { return texts_->size(); }

  static constexpr StrId kEmpty{0U};  // ""

 private:
  // An id in the index stands for its text, so that the index stores no text.
  using Texts = std::vector<std::string_view>;
  static std::string_view text_of(const Texts* /*texts*/, std::string_view text) { return text; }
  static std::string_view text_of(const Texts* texts, StrId id) { return (*texts)[id.value]; }
  struct Hash {
    using is_transparent = void;
    const Texts* texts;
    template <class Any>
    size_t operator()(Any any) const {
      return absl::HashOf(text_of(texts, any));
    }
  };
  struct Equal {
    using is_transparent = void;
    const Texts* texts;
    template <class A, class B>
    bool operator()(A a, B b) const {
      return text_of(texts, a) == text_of(texts, b);
    }
  };

  TextArena arena_;
  std::unique_ptr<Texts> texts_;  // in the arena; the index refers to it, also when the table moves
  absl::flat_hash_set<StrId, Hash, Equal> ids_;  // never iterated
};

}  // namespace trellis
