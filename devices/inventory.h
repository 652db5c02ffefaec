// All devices of a cluster, and which of them selectors accept.
//
// Guarantees: devices are in the order in which Kubernetes tries them; an expression is compiled
// once, and evaluated once for all devices that it cannot distinguish.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/expression.h"
#include "devices/facts.h"
#include "devices/model.h"

namespace trellis::devices {

// An expression's place in the inventory.
using SelectorIndex = uint32_t;

class Inventory {
 public:
  // The taints of rules are added to the devices that they name.
  Inventory(std::vector<Slice> slices, std::vector<Class> classes, std::vector<TaintRule> rules);
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  // In the order of their names.
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<KnownDevice>& devices() const { return devices_; }
  DeviceIndex first_device(uint32_t slice) const { return first_device_[slice]; }
  // null: there is no class of this name.
  const Class* find_class(std::string_view name) const;
  const std::map<std::string, Class, std::less<>>& classes() const { return classes_; }
  // The slices that a node may reach: its own, and those that are on no single node. In order.
  std::vector<uint32_t> slices_near(std::string_view node) const;
  const std::vector<uint32_t>& slices_of_many_nodes() const { return of_many_nodes_; }
  // All slices of a pool, in order.
  const std::vector<uint32_t>& slices_of(std::string_view driver, std::string_view pool) const;

  SelectorIndex selector(const std::string& expression) const;
  const cel::Expression& expression(SelectorIndex selector) const;
  struct Answer {
    bool accepts = false;
    std::string_view error;
  };
  // REQUIRES: the expression is valid.
  Answer accepts(SelectorIndex selector, DeviceIndex device) const;
  // How often expressions were evaluated.
  int64_t evaluations() const { return evaluations_; }

 private:
  enum class State : uint8_t { Unknown, No, Yes, Failed };
  struct Selector {
    cel::Expression expression;
    // By device: the number of those that the expression cannot distinguish.
    std::vector<uint32_t> groups;
    // By group.
    std::vector<State> states;
    std::map<uint32_t, std::string> errors;
  };

  std::vector<Slice> slices_;
  std::vector<KnownDevice> devices_;
  std::vector<DeviceIndex> first_device_;
  std::map<std::string, Class, std::less<>> classes_;
  std::map<std::string, std::vector<uint32_t>, std::less<>> of_node_;
  std::vector<uint32_t> of_many_nodes_;
  std::map<std::pair<std::string, std::string>, std::vector<uint32_t>> of_pool_;
  // What is computed when it is first asked for.
  mutable std::map<std::string, SelectorIndex> selector_of_;
  mutable std::vector<Selector> selectors_;
  mutable std::optional<FactColumns> columns_;
  mutable int64_t evaluations_ = 0;
};

}  // namespace trellis::devices
