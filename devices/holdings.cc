#include "devices/holdings.h"

#include "devices/shares.h"

namespace trellis::devices {

void Holdings::add(const Allocation& allocation) {
  for (const Result& result : allocation.results) {
    if (result.admin_access) continue;
    Holding& holding = holdings_[result.id];
    if (!result.shared) {
      ++holding.whole;
      continue;
    }
    ++holding.shares;
    devices::add(holding.used, result.consumed);
  }
}

void Holdings::remove(const Allocation& allocation) {
  for (const Result& result : allocation.results) {
    if (result.admin_access) continue;
    auto found = holdings_.find(result.id);
    if (found == holdings_.end()) continue;
    Holding& holding = found->second;
    if (result.shared) {
      --holding.shares;
      subtract(holding.used, result.consumed);
    } else {
      --holding.whole;
    }
    if (holding.whole == 0 && holding.shares == 0) holdings_.erase(found);
  }
}

const Holding* Holdings::find(const DeviceId& id) const {
  auto found = holdings_.find(id);
  return found == holdings_.end() ? nullptr : &found->second;
}

}  // namespace trellis::devices
