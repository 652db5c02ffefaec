// The objects of a case about devices, decoded.
#pragma once

#include <string>
#include <vector>

#include "devices/holdings.h"
#include "devices/model.h"

namespace trellis {

struct WorldPod {
  std::string name;
  // "": the pod has no node.
  std::string node;
  // Of its namespace, in its order.
  std::vector<std::string> claims;
};

struct DeviceWorld {
  std::vector<devices::Slice> slices;
  std::vector<devices::Class> classes;
  std::vector<devices::TaintRule> rules;
  std::vector<devices::Claim> claims;
  std::vector<devices::NodeView> nodes;
  std::vector<WorldPod> pods;

  // null: there is no such claim.
  const devices::Claim* find_claim(const std::string& full_name) const;
  // What allocated claims hold.
  devices::Holdings holdings() const;
};

// `text`: a JSON object whose member `objects` is a list.
DeviceWorld read_device_world(const std::string& text);

}  // namespace trellis
