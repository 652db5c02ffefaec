// The objects of one kind as the API server last reported them, and which of them changed since
// changes were last taken. Any thread may use it.
//
// Guarantees: no reader sees half a list: `replace` swaps in a whole one. Objects are shared, never
// copied. Cost: put and erase O(log objects); changes O(their number); the rest O(objects).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/kube/watch/api_objects.h"
#include "server/manifest/manifest.h"
#include "server/sources/bell.h"
#include "server/text/stored_text.h"

namespace trellis {

class ObjectStore {
 public:
  using Objects = std::map<std::string, StoredText, std::less<>>;

  // `resource`: the beginning of the names of its texts, such as "pods". `bell` is rung after each
  // change; null: there is none.
  explicit ObjectStore(std::string resource, std::shared_ptr<Bell> bell = nullptr)
      : resource_(std::move(resource)), bell_(std::move(bell)) {}

  void replace(Objects objects);
  void put(std::string name, StoredText text);
  void erase(std::string_view name);

  // Whether the store has received a complete list.
  bool synced() const;
  size_t size() const;
  bool holds(std::string_view name) const;
  // `name`: "NAMESPACE/NAME", or "NAME"; none: there is no such object.
  StoredText find(std::string_view name) const;
  // Appends what changed since the last call, each named "pods/NAMESPACE/NAME"; null: it is gone.
  void take_changes(std::vector<NamedText>& changes);
  // Appends the changes as if all objects were gone.
  void take_all_as_gone(std::vector<NamedText>& changes);
  Objects objects() const;

 private:
  std::string resource_;
  std::shared_ptr<Bell> bell_;
  mutable std::mutex mutex_;
  Objects objects_;
  std::set<std::string, std::less<>> changed_;  // since changes were last taken
  bool synced_ = false;
};

}  // namespace trellis
