// Claims that are allocated, and the pods that use them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/device_claims.h"
#include "framework/presence.h"

namespace trellis {

class FixedClaims {
 public:
  struct Fixed {
    const devices::Allocation& allocation() const { return *record.claim->allocation; }

    DeviceClaim record;
    int64_t staying = 0;               // pods that use it and will still be there in future
    std::vector<std::string> leaving;  // the others, by name; sorted
    bool in_future = true;             // it will still have its devices then
    // Its pods may leave, and then nodes elsewhere have its devices.
    bool frees_others = false;
  };

  // null: the claim is not allocated.
  Fixed* find(const std::string& name) {
    auto found = claims_.find(name);
    return found == claims_.end() ? nullptr : &found->second;
  }
  const Fixed* find(const std::string& name) const {
    auto found = claims_.find(name);
    return found == claims_.end() ? nullptr : &found->second;
  }
  const std::map<std::string, Fixed>& all() const { return claims_; }
  // REQUIRES: it is allocated, and no pod uses it yet.
  Fixed& add(const std::string& name, const DeviceClaim& record);
  void erase(const std::string& name) { claims_.erase(name); }
  void clear() { claims_.clear(); }

  // A pod uses the claim, or (-1) does not any more. True: `in_future` changed.
  static bool use(Fixed& fixed, const std::string& pod, Presence presence, int32_t by);

 private:
  std::map<std::string, Fixed> claims_;  // by "namespace/name"
};

}  // namespace trellis
