// Attributes that the devices of a claim have in common, or in which they differ.
#pragma once

#include <span>
#include <vector>

#include "devices/facts.h"
#include "devices/model.h"

namespace trellis::devices {

// The devices of one claim so far, as its constraints see them.
class ConstraintState {
 public:
  explicit ConstraintState(const std::vector<Constraint>& constraints)
      : constraints_(&constraints), values_(constraints.size()) {}

  // May the device join? It is compared by the constraints named.
  bool allows(const KnownDevice& device, std::span<const uint32_t> constraints) const;
  // REQUIRES: allows(); remove() in the reverse order of add().
  void add(const KnownDevice& device, std::span<const uint32_t> constraints);
  void remove(std::span<const uint32_t> constraints);

 private:
  const std::vector<Constraint>* constraints_;
  // Of each constraint: the values of the devices.
  std::vector<std::vector<const cel::Value*>> values_;
};

// null: the device has no such attribute. `name` has a domain; a device of a driver may write
// those of the driver's domain without it.
const cel::Value* attribute_of(const KnownDevice& known, std::string_view name);

}  // namespace trellis::devices
