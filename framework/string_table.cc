#include "framework/string_table.h"

namespace trellis {

StringTable::StringTable()
    : texts_(std::make_unique<Texts>()), ids_(0, Hash{texts_.get()}, Equal{texts_.get()}) {
  intern("");
}

StrId StringTable::intern(std::string_view text) {
  if (auto found = ids_.find(text); found != ids_.end()) return *found;
  StrId id(texts_->size());
  texts_->push_back(arena_.keep(text));
  ids_.insert(id);
  return id;
}

StrId StringTable::find(std::string_view text) const {
  auto found = ids_.find(text);
  return found == ids_.end() ? StrId() : *found;
}

}  // namespace trellis
