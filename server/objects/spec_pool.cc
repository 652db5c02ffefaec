#include "server/objects/spec_pool.h"

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
