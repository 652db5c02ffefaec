// A pod's spec that many pods share; changed through a copy of its own.
//
// Guarantees: a change through one SharedSpec is not seen through another. Cost: a copy is O(1);
// edit() copies the spec where others share it.
#pragma once

#include <memory>
#include <utility>

#include "framework/pod.h"

namespace trellis {

class SharedSpec {
 public:
  SharedSpec() = default;
  explicit SharedSpec(PodSpec spec) : spec_(std::make_shared<PodSpec>(std::move(spec))) {}

  const PodSpec& operator*() const { return spec_ ? *spec_ : empty(); }
  const PodSpec* operator->() const { return &**this; }
  // Two with the same identity have the same spec.
  const PodSpec* identity() const { return spec_.get(); }
  bool is_shared() const { return spec_.use_count() > 1; }

  PodSpec& edit() {
    if (!spec_ || is_shared()) spec_ = std::make_shared<PodSpec>(**this);
    return *spec_;
  }

  bool operator==(const SharedSpec& other) const {
    return spec_ == other.spec_ || **this == *other;
  }

 private:
  static const PodSpec& empty() {
    static const PodSpec kEmpty;
    return kEmpty;
  }

  std::shared_ptr<PodSpec> spec_;  // null: an empty spec
};

}  // namespace trellis
