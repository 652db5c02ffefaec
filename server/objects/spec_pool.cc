#include "server/objects/spec_pool.h"

#include <xxhash.h>

#include <utility>

#include "framework/pod_spec_hash.h"

namespace trellis {

SharedSpec SpecPool::share(PodSpec spec) {
  std::vector<SharedSpec>& bucket = specs_[hash_of(spec)];
  for (const SharedSpec& known : bucket) {
    if (*known == spec) return known;
  }
  SharedSpec shared = bucket.emplace_back(std::move(spec));
  constexpr size_t kFew = 1024;
  if (++added_ > kept_ + kFew) drop_unused();
  return shared;
}

SharedText SpecPool::share(std::string_view name) {
  if (name.empty()) return {};
  auto known = names_.find(name);
  if (known != names_.end()) return *known;
  SharedText shared = *names_.emplace(name).first;
  constexpr size_t kFew = 1024;
  if (++added_names_ > kept_names_ + kFew) {
    absl::erase_if(names_, [](const SharedText& text) { return !text.is_shared(); });
    kept_names_ = names_.size();
    added_names_ = 0;
  }
  return shared;
}

SharedValue<PodContainers> SpecPool::share(PodContainers containers) {
  constexpr size_t kMost = 1024;
  if (containers_.size() >= kMost) containers_.clear();
  const std::vector<StrId>& names = containers.names;
  uint64_t hash = XXH3_64bits(names.data(), names.size() * sizeof(StrId));
  SharedValue<PodContainers>& known = containers_[hash];
  if (!known || *known != containers) known = SharedValue(std::move(containers));
  return known;
}

void SpecPool::drop_unused() {
  kept_ = 0;
  absl::erase_if(specs_, [this](auto& entry) {
    std::erase_if(entry.second, [](const SharedSpec& spec) { return !spec.is_shared(); });
    kept_ += entry.second.size();
    return entry.second.empty();
  });
  added_ = 0;
}

}  // namespace trellis
