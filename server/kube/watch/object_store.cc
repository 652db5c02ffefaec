#include "server/kube/watch/object_store.h"

#include <utility>

namespace trellis {

// An object whose text is the same in the new list as in the old one has not changed.
void ObjectStore::replace(Objects objects) {
  {
    std::lock_guard lock(mutex_);
    auto old = objects_.begin();
    for (auto& [name, text] : objects) {
      for (; old != objects_.end() && old->first < name; ++old) changed_.insert(old->first);
      bool known = old != objects_.end() && old->first == name;
      if (known && old->second == text) {
        text = old->second;
      } else {
        changed_.insert(name);
      }
      if (known) ++old;
    }
    for (; old != objects_.end(); ++old) changed_.insert(old->first);
    objects_.swap(objects);
    synced_ = true;
  }
  if (bell_) bell_->ring();
}

void ObjectStore::put(std::string name, StoredText text) {
  {
    std::lock_guard lock(mutex_);
    changed_.insert(name);
    objects_.insert_or_assign(std::move(name), std::move(text));
  }
  if (bell_) bell_->ring();
}

void ObjectStore::erase(std::string_view name) {
  {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(name);
    if (found == objects_.end()) return;
    changed_.emplace(name);
    objects_.erase(found);
  }
  if (bell_) bell_->ring();
}

bool ObjectStore::synced() const {
  std::lock_guard lock(mutex_);
  return synced_;
}

StoredText ObjectStore::find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto found = objects_.find(name);
  return found == objects_.end() ? StoredText() : found->second;
}

size_t ObjectStore::size() const {
  std::lock_guard lock(mutex_);
  return objects_.size();
}

bool ObjectStore::holds(std::string_view name) const {
  std::lock_guard lock(mutex_);
  return objects_.contains(name);
}

void ObjectStore::take_changes(std::vector<NamedText>& changes) {
  std::lock_guard lock(mutex_);
  for (const std::string& name : changed_) {
    auto found = objects_.find(name);
    changes.push_back(
        {resource_ + "/" + name, found == objects_.end() ? StoredText() : found->second});
  }
  changed_.clear();
}

void ObjectStore::take_all_as_gone(std::vector<NamedText>& changes) {
  std::lock_guard lock(mutex_);
  for (const auto& [name, text] : objects_) changed_.insert(name);
  for (const std::string& name : changed_) changes.push_back({resource_ + "/" + name, {}});
  changed_.clear();
}

ObjectStore::Objects ObjectStore::objects() const {
  std::lock_guard lock(mutex_);
  return objects_;
}

}  // namespace trellis
