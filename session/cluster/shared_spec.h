// A pod's spec that many pods share; changed through a copy of its own.
//
// Guarantees: a change through one SharedSpec is not seen through another. Cost: a copy is O(1);
// edit() copies the spec where others share it.
#pragma once

#include <utility>

#include "framework/pod.h"
#include "framework/shared_value.h"

namespace trellis {

class SharedSpec {
 public:
  SharedSpec() = default;
  explicit SharedSpec(PodSpec spec) : spec_(std::move(spec)) {}

  const PodSpec& operator*() const { return spec_ ? *spec_ : empty(); }
  const PodSpec* operator->() const { return &**this; }
  // Two with the same identity have the same spec.
  const PodSpec* identity() const { return spec_.get(); }
  bool is_shared() const { return spec_.is_shared(); }

  PodSpec& edit() { return spec_.edit(); }

  bool operator==(const SharedSpec& other) const {
    return identity() == other.identity() || **this == *other;
  }

 private:
  static const PodSpec& empty() {
    static const PodSpec kEmpty;
    return kEmpty;
  }

  SharedValue<PodSpec> spec_;  // null: an empty spec
};

}  // namespace trellis
