#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/numa/numa_policy.h"
#include "server/objects/decoders.h"
#include "server/objects/pods_fingerprint.h"
#include "server/objects/zone_leavers_text.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 6> kZonesKeys = {"apiVersion",       "kind",  "metadata",
                                                        "topologyPolicies", "zones", "attributes"};
constexpr std::array<std::string_view, 6> kZoneKeys = {"name",  "type",       "parent",
                                                       "costs", "attributes", "resources"};
constexpr std::array<std::string_view, 4> kZoneResourceKeys = {"name", "capacity", "allocatable",
                                                               "available"};
constexpr std::array<std::string_view, 2> kCostKeys = {"name", "value"};
constexpr std::array<std::string_view, 2> kAttributeKeys = {"name", "value"};
constexpr std::string_view kNodeType = "Node";
constexpr std::string_view kOldFingerprint = "topology.node.k8s.io/fingerprint";

class NumaDecoder {
 public:
  explicit NumaDecoder(FieldReader& fields) : fields_(fields) {}

  NumaTopology decode(Value object) {
    fields_.known_keys(object, kZonesKeys);
    NumaAttributes attributes = read_attributes(object);
    Value zones = fields_.list(object, "zones");
    for (Value zone : zones.items()) note_name(zone);
    std::vector<NumaZoneRecord> records;
    for (Value zone : zones.items()) {
      NumaZoneRecord record = read_zone(zone);
      if (zone["type"].text() == kNodeType) records.push_back(std::move(record));
    }
    if (records.size() > kMostZones) {
      fields_.error(zones, std::to_string(records.size()) + " zones",
                    "at most " + std::to_string(kMostZones));
      return {};
    }
    if (broken_) return {};
    return make_numa_topology(std::move(attributes), records);
  }

 private:
  void complain(Value at, std::string found, std::string expected) {
    broken_ = true;
    fields_.error(at, std::move(found), std::move(expected));
  }

  NumaAttributes read_attributes(Value object) {
    NumaAttributes read;
    for (Value policy : fields_.list(object, "topologyPolicies").items()) {
      if (!known_policy(policy.text(), NumaRules::Kubelet)) {
        unknown(policy, "a policy such as \"SingleNUMANodeContainerLevel\"");
      }
      read.policies.emplace_back(policy.text());
    }
    std::string_view old = object["metadata"]["annotations"][kOldFingerprint].text();
    if (!old.empty())
      read.attributes.push_back({std::string(kFingerprintAttribute), std::string(old)});
    for (Value attribute : fields_.list(object, "attributes").items()) {
      fields_.known_keys(attribute, kAttributeKeys);
      std::string_view name = fields_.string(attribute, "name");
      std::string_view value = fields_.string(attribute, "value");
      check_attribute(attribute["value"], name, value);
      read.attributes.push_back({std::string(name), std::string(value)});
    }
    return read;
  }

  void check_attribute(Value at, std::string_view name, std::string_view value) {
    if (name == kPolicyAttribute && !policy_value(value)) {
      unknown(at, "\"none\", \"best-effort\", \"restricted\" or \"single-numa-node\"");
    } else if (name == kScopeAttribute && !scope_value(value)) {
      unknown(at, "\"container\" or \"pod\"");
    } else if (name == kMostZonesAttribute && !most_zones_value(value)) {
      unknown(at, "a whole number above 1, as a string");
    }
  }

  // A warning and no error: without this value, another value decides.
  void unknown(Value at, std::string expected) {
    fields_.report().warning(at, {describe(at), std::move(expected), ""});
  }

  void note_name(Value zone) {
    std::string_view name = zone["name"].text();
    if (name.empty()) return;
    if (!names_.emplace(name).second) {
      return complain(zone["name"], "zone " + in_quotes(name) + " a second time", "each zone once");
    }
    if (zone["type"].text() != kNodeType) return;
    std::optional<int64_t> id = plain_zone_id(name);
    if (id && !ids_.insert(*id).second) {
      complain(zone["name"], "zone id " + std::to_string(*id) + " a second time",
               "each zone with an id of its own");
    }
  }

  NumaZoneRecord read_zone(Value zone) {
    NumaZoneRecord record;
    fields_.known_keys(zone, kZoneKeys);
    record.name = fields_.string(zone, "name");
    if (record.name.empty()) {
      broken_ = true;
      if (zone["name"].absent()) fields_.missing(zone, "name", "the zone's name");
    }
    if (fields_.string(zone, "type").empty() && zone["type"].absent()) {
      fields_.missing(zone, "type", "the zone's type, such as \"Node\"");
      broken_ = true;
    }
    for (Value resource : fields_.list(zone, "resources").items()) {
      read_resource(resource, record);
    }
    for (Value cost : fields_.list(zone, "costs").items()) read_cost(cost, record);
    return record;
  }

  void read_resource(Value value, NumaZoneRecord& record) {
    fields_.known_keys(value, kZoneResourceKeys);
    std::string_view name = fields_.string(value, "name");
    if (name.empty()) {
      broken_ = true;
      if (value["name"].absent()) fields_.missing(value, "name", "the name of a resource");
      return;
    }
    ResourceId resource = fields_.resource(value["name"], name);
    if (!resource.valid()) {
      broken_ = true;
      return;
    }
    bool twice = std::any_of(record.resources.begin(), record.resources.end(),
                             [&](const NumaAmounts& one) { return one.resource == resource; });
    if (twice) {
      return complain(value["name"], "resource " + in_quotes(name) + " a second time",
                      "each resource of a zone once");
    }
    size_t errors = fields_.report().errors();
    NumaAmounts amounts{resource};
    amounts.capacity = fields_.amount(value["capacity"], resource);
    amounts.allocatable = value["allocatable"].absent()
                              ? amounts.capacity
                              : fields_.amount(value["allocatable"], resource);
    amounts.available = value["available"].absent() ? amounts.allocatable
                                                    : fields_.amount(value["available"], resource);
    broken_ = broken_ || fields_.report().errors() != errors;
    int64_t most = value["capacity"].absent() ? amounts.allocatable : amounts.capacity;
    bool bounded = !value["capacity"].absent() || !value["allocatable"].absent();
    if (bounded && amounts.available > most) {
      complain(value["available"], describe(value["available"]),
               "no more than the zone's " +
                   std::string(value["capacity"].absent() ? "allocatable" : "capacity"));
    }
    if (!bounded) amounts.allocatable = amounts.available;
    record.resources.push_back(amounts);
  }

  void read_cost(Value value, NumaZoneRecord& record) {
    fields_.known_keys(value, kCostKeys);
    std::string_view zone = fields_.string(value, "name");
    size_t errors = fields_.report().errors();
    std::optional<int64_t> cost = fields_.integer(value, "value", 0, INT32_MAX);
    broken_ = broken_ || fields_.report().errors() != errors;
    if (!names_.contains(std::string(zone))) {
      return complain(value["name"].absent() ? value : value["name"],
                      "a cost to " + (zone.empty() ? "no zone" : "zone " + in_quotes(zone)),
                      "the name of a zone of this object");
    }
    record.costs.push_back({std::string(zone), cost.value_or(0)});
  }

  FieldReader& fields_;
  std::set<std::string, std::less<>> names_;
  std::set<int64_t> ids_;
  bool broken_ = false;
};

}  // namespace

NumaRecord decode_numa(NamedObject named, FieldReader& fields) {
  NumaTopology topology = NumaDecoder(fields).decode(named.object);
  Value annotation = named.object["metadata"]["annotations"][kNumaLeft];
  return {std::move(named.meta), std::move(topology), read_zone_leavers(annotation, fields)};
}

}  // namespace trellis
