#include "server/kube/object_store.h"

#include <utility>

namespace trellis {

void ObjectStore::replace(Objects objects) {
  std::lock_guard lock(mutex_);
  objects_.swap(objects);
  synced_ = true;
  ++version_;
}

void ObjectStore::put(ApiObject object) {
  std::lock_guard lock(mutex_);
  objects_.insert_or_assign(std::move(object.name), std::move(object.text));
  ++version_;
}

void ObjectStore::erase(std::string_view name) {
  std::lock_guard lock(mutex_);
  auto found = objects_.find(name);
  if (found == objects_.end()) return;
  objects_.erase(found);
  ++version_;
}

bool ObjectStore::synced() const {
  std::lock_guard lock(mutex_);
  return synced_;
}

int64_t ObjectStore::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

std::shared_ptr<const std::string> ObjectStore::find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : found->second;
}

size_t ObjectStore::size() const {
  std::lock_guard lock(mutex_);
  return objects_.size();
}

bool ObjectStore::holds(std::string_view name) const {
  std::lock_guard lock(mutex_);
  return objects_.contains(name);
}

int64_t ObjectStore::append_texts(std::vector<NamedText>& texts) const {
  std::lock_guard lock(mutex_);
  for (const auto& [name, text] : objects_) texts.push_back({resource_ + "/" + name, text});
  return version_;
}

ObjectStore::Objects ObjectStore::objects() const {
  std::lock_guard lock(mutex_);
  return objects_;
}

}  // namespace trellis
