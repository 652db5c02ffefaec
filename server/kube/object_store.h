// The objects of one kind as the API server last told of them. Any thread may use it.
//
// Guarantees: nobody sees half a list: `replace` swaps in a whole one. Objects are shared, never
// copied. Cost: put and erase O(log objects); texts O(objects).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/kube/api_objects.h"
#include "server/manifest/manifest.h"

namespace trellis {

class ObjectStore {
 public:
  using Objects = std::map<std::string, std::shared_ptr<const std::string>, std::less<>>;

  // `resource`: what the names of its texts begin with, as "pods".
  explicit ObjectStore(std::string resource) : resource_(std::move(resource)) {}

  void replace(Objects objects);
  void put(ApiObject object);
  void erase(std::string_view name);

  // Whether a whole list has been here.
  bool synced() const;
  // Grows with each change.
  int64_t version() const;
  size_t size() const;
  bool holds(std::string_view name) const;
  // `name`: "NAMESPACE/NAME", or "NAME"; null: there is no such object.
  std::shared_ptr<const std::string> find(std::string_view name) const;
  // Appends the objects in the order of their names, each named "pods/NAMESPACE/NAME"; gives the
  // version that they are of.
  int64_t append_texts(std::vector<NamedText>& texts) const;
  Objects objects() const;

 private:
  std::string resource_;
  mutable std::mutex mutex_;
  Objects objects_;
  int64_t version_ = 0;
  bool synced_ = false;
};

}  // namespace trellis
