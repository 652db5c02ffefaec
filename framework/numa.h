// The NUMA zones of a node, as its NodeResourceTopology object reports them.
//
// Words: a *zone* is a zone of type Node in the object, whatever its name; `available` is the
// amount that the agent last saw free in the zone, `allocatable` the amount that pods can have of
// it in all. Cells are dense: one int64 for each (resource, zone), the zones of a resource
// adjacent, kUnlisted where the zone does not list the resource. Guarantees: zones are in the order
// of their ids, no two have the same id; the order in which an object lists zones or resources
// changes nothing but NumaZone::listed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"

namespace trellis {

// One bit for each zone, at its position in the order of ids.
using ZoneMask = uint64_t;
inline constexpr size_t kMostZones = 64;
inline constexpr int64_t kUnlisted = -1;
inline constexpr int32_t kNoCost = -1;

enum class NumaPolicy : uint8_t { None, BestEffort, Restricted, SingleNode };
enum class NumaScope : uint8_t { Container, Pod };

// The object's fields about the node as a whole, verbatim and in the object's order.
struct NumaAttributes {
  std::vector<std::string> policies;  // topologyPolicies, deprecated
  struct Attribute {
    std::string name;
    std::string value;
    bool operator==(const Attribute&) const = default;
  };
  std::vector<Attribute> attributes;
  bool operator==(const NumaAttributes&) const = default;
};

struct NumaAmounts {
  ResourceId resource;
  int64_t capacity = 0;
  int64_t allocatable = 0;
  int64_t available = 0;
};

// A zone as written in the object.
struct NumaZoneRecord {
  std::string name;
  std::vector<NumaAmounts> resources;
  struct Cost {
    std::string zone;
    int64_t value = 0;
  };
  std::vector<Cost> costs;
};

struct NumaZone {
  std::string name;
  int64_t id = 0;  // number that ends the name; index by name unless every zone has its own number
  int32_t listed = 0;  // its index in the object
  bool plain = false;  // named node-N, N below 64: what scheduler-plugins reads
  bool operator==(const NumaZone&) const = default;
};

struct NumaTopology {
  NumaAttributes attributes;
  std::vector<NumaZone> zones;
  std::vector<ResourceId> resources;  // that some zone lists; ascending
  std::vector<int64_t> allocatable;   // cells
  std::vector<int64_t> available;     // cells
  std::vector<int32_t> costs;         // [from * zones + to]; kNoCost where the object has none

  // The cells of a resource start at column * zones.size(); -1: no zone lists the resource.
  int column(ResourceId resource) const;
  int32_t cost(size_t from, size_t to) const { return costs[from * zones.size() + to]; }
  ZoneMask all() const { return zones.empty() ? 0 : ~ZoneMask{0} >> (kMostZones - zones.size()); }
  bool operator==(const NumaTopology&) const = default;
};

// How far the report of a node's zones can be trusted.
enum class ZoneTrust : uint8_t {
  Unknown,    // no evidence for or against the report
  Confirmed,  // the agent has seen the pods that the input has on the node
  Outdated,   // the agent has not seen them
  Refuted,    // the node's kubelet refused a pod that the zones should have held
};

// The number that ends a zone's name.
std::optional<int64_t> zone_number(std::string_view name);
// N for a zone named node-N.
std::optional<int64_t> plain_zone_id(std::string_view name);

// REQUIRES: no more than kMostZones records, no name twice, no resource twice in a zone. Costs to
// zones without a record are left out.
NumaTopology make_numa_topology(NumaAttributes attributes, std::span<const NumaZoneRecord> records);

// A hash that distinguishes one report from another; never 0.
uint64_t report_hash(const NumaTopology& topology);

}  // namespace trellis
