#include "framework/resources.h"

#include <algorithm>

namespace trellis {
ResourceTable::ResourceTable() {
  for (const char* name : {"cpu", "memory", "pods", "nvidia.com/gpu", "amd.com/gpu"}) {
    names_.push_back(name);
  }
}

ResourceId ResourceTable::intern(std::string_view name) {
  if (ResourceId id = find(name); id.valid()) return id;
  return ResourceId(names_.push_back(std::string(name)));
}

ResourceId ResourceTable::find(std::string_view name) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return ResourceId(i);
  }
  return {};
}

Unit ResourceTable::unit(ResourceId id) const {
  if (id == kCpu) return Unit::MilliCpu;
  if (is_gpu(id)) return Unit::MilliGpu;
  const std::string& text = name(id);
  bool bytes = id == kMemory || text == "ephemeral-storage" || text.starts_with("hugepages-");
  return bytes ? Unit::Bytes : Unit::Count;
}

int64_t ResourceList::get(ResourceId id) const {
  for (const ResourceAmount& item : items_) {
    if (item.resource == id) return item.amount;
  }
  return 0;
}

void ResourceList::set(ResourceId id, int64_t amount) {
  auto at = std::lower_bound(
      items_.begin(), items_.end(), id,
      [](const ResourceAmount& item, ResourceId wanted) { return item.resource < wanted; });
  bool present = at != items_.end() && at->resource == id;
  if (amount == 0) {
    if (present) items_.erase(at);
  } else if (present) {
    at->amount = amount;
  } else {
    items_.insert(at, {id, amount});
  }
}

void ResourceList::add(ResourceId id, int64_t amount) { set(id, add_to_sum(get(id), amount)); }

void ResourceList::add(const ResourceList& other) {
  for (const ResourceAmount& item : other.items_) add(item.resource, item.amount);
}

void ResourceList::raise_to(const ResourceList& other) {
  for (const ResourceAmount& item : other.items_) {
    set(item.resource, std::max(get(item.resource), item.amount));
  }
}

void ResourceList::cap(int64_t most) {
  for (ResourceAmount& item : items_) item.amount = std::min(item.amount, most);
}

}  // namespace trellis
