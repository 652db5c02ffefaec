// What is known of a node's NUMA zones: its NodeResourceTopology object.
//
// Words: a *zone* is an object's zone of type Node, whatever its name; `available` is what an agent
// last saw free of it, `allocatable` what pods could have of it at all. Cells are dense: one int64
// a (resource, zone), the zones of a resource side by side, kUnlisted where the zone does not list
// it. Guarantees: zones stand in the order of their ids, no two have the same; the order in which
// an object lists zones or resources changes nothing but NumaZone::listed.
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

// One bit a zone, by its place in the order of ids.
using ZoneMask = uint64_t;
inline constexpr size_t kMostZones = 64;
inline constexpr int64_t kUnlisted = -1;
inline constexpr int32_t kNoCost = -1;

enum class NumaPolicy : uint8_t { None, BestEffort, Restricted, SingleNode };
enum class NumaScope : uint8_t { Container, Pod };

// What the object says of the node as a whole, in its words and its order.
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

// A zone as the object has it.
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
  int64_t id = 0;  // the number that ends the name; its place among the names where one has none
  int32_t listed = 0;  // its place in the object
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

  // The cells of a resource start at column * zones.size(); -1: no zone lists it.
  int column(ResourceId resource) const;
  int32_t cost(size_t from, size_t to) const { return costs[from * zones.size() + to]; }
  ZoneMask all() const { return zones.empty() ? 0 : ~ZoneMask{0} >> (kMostZones - zones.size()); }
  bool operator==(const NumaTopology&) const = default;
};

// How far what is known of a node's zones can be trusted.
enum class ZoneTrust : uint8_t {
  Unknown,    // nothing is known for or against it
  Confirmed,  // the agent has seen the pods that we know of
  Outdated,   // it has not
  Refuted,    // the node's kubelet refused a pod that they should have held
};

// The number that ends a zone's name.
std::optional<int64_t> zone_number(std::string_view name);
// N, where a zone is named node-N.
std::optional<int64_t> plain_zone_id(std::string_view name);

// REQUIRES: no more than kMostZones records, no name twice, no resource twice in a zone. Costs to
// zones that are not there are left out.
NumaTopology make_numa_topology(NumaAttributes attributes, std::span<const NumaZoneRecord> records);

// Tells one report from another; never 0.
uint64_t report_hash(const NumaTopology& topology);

}  // namespace trellis
