#include "plugins/fragmentation/gpu_models.h"

#include <algorithm>
#include <utility>

namespace trellis {

int32_t GpuModelBits::bit(StrId model, const StringTable& strings) {
  if (!model.valid()) return kNoModel;
  auto [known, is_new] = known_.try_emplace(model.value, kOtherModel);
  if (!is_new) return known->second;
  known->second = bit(strings.view(model));
  return known->second;
}

int32_t GpuModelBits::bit(std::string_view name) {
  auto named = std::ranges::find(names_, name);
  if (named == names_.end()) {
    if (names_.size() >= kNoModel) return kOtherModel;
    named = names_.emplace(named, name);
  }
  return static_cast<int32_t>(named - names_.begin());
}

bool GpuModelBits::recall(std::vector<std::string> names) {
  if (names_ == names) return false;
  names_ = std::move(names);
  known_.clear();
  return true;
}

}  // namespace trellis
