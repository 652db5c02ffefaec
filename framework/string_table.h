// Interned strings: equal text has equal StrId, so the core compares ids instead of text.
//
// Guarantees: an id stays valid, and `view` of it stays at one address, as long as the table lives.
// StrId order is the order of first appearance and carries no meaning: sort by text, never by id.
// Cost: `intern` one hash look-up; `view` one array access.
#pragma once

#include <absl/container/flat_hash_map.h>

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
    require(id.value < texts_.size(), "a string id is one of its table");
    return texts_[id.value];
  }
  size_t size() const { return texts_.size(); }

  static constexpr StrId kEmpty{0U};  // ""

 private:
  TextArena arena_;
  std::vector<std::string_view> texts_;               // in the arena
  absl::flat_hash_map<std::string_view, StrId> ids_;  // never iterated
};

}  // namespace trellis
