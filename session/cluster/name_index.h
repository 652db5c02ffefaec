// Name -> id, at the edge only; never iterated.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <string>
#include <string_view>

namespace trellis {

template <class Id>
class NameIndex {
 public:
  Id find(std::string_view name) const {
    auto found = ids_.find(name);
    return found == ids_.end() ? Id() : found->second;
  }
  void set(std::string_view name, Id id) { ids_.insert_or_assign(std::string(name), id); }
  void erase(std::string_view name) {
    if (auto found = ids_.find(name); found != ids_.end()) ids_.erase(found);
  }
  size_t size() const { return ids_.size(); }

 private:
  // Debian's absl has a string_view of its own, so look-ups by std::string_view need these two.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };
  absl::flat_hash_map<std::string, Id, Hash, Equal> ids_;
};

}  // namespace trellis
