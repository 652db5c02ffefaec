// Devices and claims as Kubernetes describes them (resource.k8s.io/v1).
//
// A *driver* publishes *devices* in *slices*; the slices of one *pool* describe all its devices
// once they are complete. A *claim* has *requests* for devices of a *class*; a request may have
// *alternatives*, of which the first that works out counts. What a claim gets is its *allocation*.
// Texts and amounts only: no node of the cluster, no pod. The order of records has no meaning.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/quantity.h"
#include "cel/value.h"

namespace trellis::devices {

using cel::Quantity;

enum class SelectorOperator : uint8_t { In, NotIn, Exists, DoesNotExist, Gt, Lt };

struct NodeRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::In;
  std::vector<std::string> values;
  auto operator<=>(const NodeRequirement&) const = default;
};

// Requirements that all hold; a term without any matches nothing.
struct NodeTerm {
  std::vector<NodeRequirement> labels;
  // Of `metadata.name`.
  std::vector<NodeRequirement> names;
  auto operator<=>(const NodeTerm&) const = default;
};

// From which nodes a slice or a device can be reached.
struct Reach {
  enum class Form : uint8_t { None, OneNode, Selector, AllNodes, PerDevice };
  Form form = Form::None;
  std::string node;
  std::vector<NodeTerm> terms;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
  auto operator<=>(const Taint&) const = default;
};

struct Toleration {
  std::string key;
  // "Exists" or "Equal".
  std::string op;
  std::string value;
  std::string effect;
  std::optional<int64_t> seconds;
  auto operator<=>(const Toleration&) const = default;
};

// Which shares of a capacity there are.
struct SharePolicy {
  std::optional<Quantity> otherwise;
  std::vector<Quantity> values;
  bool has_range = false;
  Quantity min;
  std::optional<Quantity> max;
  std::optional<Quantity> step;
};

struct Capacity {
  std::string name;
  Quantity value;
  std::optional<SharePolicy> policy;
};

using Amounts = std::vector<std::pair<std::string, Quantity>>;

struct CounterUse {
  std::string set;
  Amounts counters;
};

struct Attribute {
  // As written, with or without a domain.
  std::string name;
  cel::Value value;
};

struct Device {
  std::string name;
  std::vector<Attribute> attributes;
  std::vector<Capacity> capacity;
  std::vector<CounterUse> counters;
  std::vector<Taint> taints;
  Reach reach;
  bool binds_to_node = false;
  bool shared = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failures;
  // Not "": every selector fails for this device, and why.
  std::string defect;
};

struct CounterSet {
  std::string name;
  Amounts counters;
};

struct Slice {
  std::string name;
  std::string driver;
  std::string pool;
  int64_t generation = 0;
  int64_t slices_of_pool = 0;
  Reach reach;
  std::vector<Device> devices;
  std::vector<CounterSet> counter_sets;
  // Uses what 1.37 leaves off: its pool is then not complete.
  bool left_out = false;
};

// A taint on all devices that it names; a name that is not set fits all.
struct TaintRule {
  std::string name;
  bool selects = false;
  std::optional<std::string> driver;
  std::optional<std::string> pool;
  std::optional<std::string> device;
  Taint taint;
  auto operator<=>(const TaintRule&) const = default;
};

struct Config {
  std::vector<std::string> requests;
  std::string driver;
  // JSON, as it stands in the input.
  std::string parameters;
  bool of_class = false;
  auto operator<=>(const Config&) const = default;
};

// "": the selector has no expression.
using Selectors = std::vector<std::string>;

struct Class {
  std::string name;
  Selectors selectors;
  std::vector<Config> config;
  std::string extended_resource;
  // RFC 3339.
  std::string created;
  auto operator<=>(const Class&) const = default;
};

enum class Mode : uint8_t { Count, All, Unknown };

struct Alternative {
  // "": the request itself.
  std::string name;
  std::string device_class;
  Selectors selectors;
  Mode mode = Mode::Count;
  int64_t count = 1;
  bool admin_access = false;
  bool derives_attributes = false;
  std::vector<Toleration> tolerations;
  Amounts capacity;
  auto operator<=>(const Alternative&) const = default;
};

struct Request {
  std::string name;
  // One without a name, or those of `firstAvailable`.
  std::vector<Alternative> alternatives;
  auto operator<=>(const Request&) const = default;
};

struct Constraint {
  std::vector<std::string> requests;
  // One of them.
  std::string match_attribute;
  std::string distinct_attribute;
  auto operator<=>(const Constraint&) const = default;
};

struct DeviceId {
  std::string driver;
  std::string pool;
  std::string device;
  auto operator<=>(const DeviceId&) const = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const DeviceId& id) {
    return Hash::combine(std::move(hash), id.driver, id.pool, id.device);
  }
};

struct Result {
  // "request", or "request/alternative".
  std::string request;
  DeviceId id;
  bool admin_access = false;
  bool shared = false;
  std::vector<Toleration> tolerations;
  // Of a share: all capacities of the device.
  Amounts consumed;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failures;
  auto operator<=>(const Result&) const = default;
};

struct Allocation {
  std::vector<Result> results;
  std::vector<Config> config;
  // nullopt: all nodes.
  std::optional<NodeTerm> nodes;
  auto operator<=>(const Allocation&) const = default;
};

struct Claim {
  std::string name_space;
  std::string name;
  std::vector<Request> requests;
  std::vector<Constraint> constraints;
  std::vector<Config> config;
  std::optional<Allocation> allocation;
  auto operator<=>(const Claim&) const = default;
};

// A node as slices see it.
struct NodeView {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
};

bool matches(const NodeTerm& term, const NodeView& node);
bool reaches(const Reach& reach, const NodeView& node);
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

}  // namespace trellis::devices
