#include "plugins/devices/fixed_claims.h"

#include <algorithm>

namespace trellis {
namespace {

// A claim that is reserved for pods which all leave loses its devices with the last of them.
bool stays_allocated(const FixedClaims::Fixed& fixed) {
  if (fixed.record.kept || fixed.staying > 0 || fixed.leaving.empty()) return true;
  return !std::ranges::includes(fixed.leaving, fixed.record.pods);
}

}  // namespace

FixedClaims::Fixed& FixedClaims::add(const std::string& name, const DeviceClaim& record) {
  Fixed& fixed = claims_[name];
  fixed.record = record;
  return fixed;
}

bool FixedClaims::use(Fixed& fixed, const std::string& pod, Presence presence, int32_t by) {
  if (presence == Presence::Stays || presence == Presence::Promised) {
    fixed.staying += by;
  } else {
    auto at = std::ranges::lower_bound(fixed.leaving, pod);
    if (by > 0) {
      fixed.leaving.insert(at, pod);
    } else if (at != fixed.leaving.end() && *at == pod) {
      fixed.leaving.erase(at);
    }
  }
  bool before = fixed.in_future;
  fixed.in_future = stays_allocated(fixed);
  return fixed.in_future != before;
}

}  // namespace trellis
