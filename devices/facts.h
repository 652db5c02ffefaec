// Devices as selectors read them, and which devices they cannot distinguish.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/device.h"
#include "cel/reads.h"
#include "devices/model.h"

namespace trellis::devices {

// A device's place in the inventory.
using DeviceIndex = uint32_t;

struct KnownDevice {
  uint32_t slice = 0;
  const Device* device = nullptr;
  DeviceId id;
};

// The variable `device` of an expression.
cel::Device facts_of(const KnownDevice& device);

// Numbers devices by what an expression reads of them: equal numbers mean equal answers.
// Cost: a name that no expression has read yet is looked up in every device once; after that, one
// look-up for each device and name.
class FactColumns {
 public:
  // `devices` outlive this.
  explicit FactColumns(std::span<const KnownDevice> devices) : devices_(devices) {}

  // By device: the number of its group.
  std::vector<uint32_t> groups(const cel::Reads& reads);

 private:
  using Column = std::vector<uint32_t>;

  const Column& column(const cel::ReadName& read);
  const Column& drivers();
  Column sharing() const;
  Column number(std::span<const std::string> texts) const;

  std::span<const KnownDevice> devices_;
  std::map<cel::ReadName, Column> columns_;
  Column drivers_;
};

}  // namespace trellis::devices
