#include "framework/numa.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace trellis {
namespace {

constexpr std::string_view kPlainName = "node-";

std::optional<int64_t> whole_number(std::string_view digits) {
  int64_t value = 0;
  auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || fault != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

bool is_plain(std::string_view name) {
  std::optional<int64_t> number = plain_zone_id(name);
  return number && *number < static_cast<int64_t>(kMostZones);
}

// In the order of the numbers that end their names, if each zone has a number of its own; else in
// the order of the names, numbered by position.
std::vector<NumaZone> zones_of(std::span<const NumaZoneRecord> records) {
  std::vector<NumaZone> zones;
  std::set<int64_t> numbers;
  for (const NumaZoneRecord& record : records) {
    std::optional<int64_t> number = zone_number(record.name);
    if (number) numbers.insert(*number);
    zones.push_back({record.name, number.value_or(0), static_cast<int32_t>(zones.size()),
                     is_plain(record.name)});
  }
  bool numbered = numbers.size() == zones.size();
  std::sort(zones.begin(), zones.end(), [numbered](const NumaZone& a, const NumaZone& b) {
    return numbered ? a.id < b.id : a.name < b.name;
  });
  for (size_t i = 0; !numbered && i < zones.size(); ++i) zones[i].id = static_cast<int64_t>(i);
  return zones;
}

void fill_cells(std::span<const NumaZoneRecord> records, NumaTopology& made) {
  for (const NumaZoneRecord& record : records) {
    for (const NumaAmounts& amounts : record.resources) made.resources.push_back(amounts.resource);
  }
  std::sort(made.resources.begin(), made.resources.end());
  made.resources.erase(std::unique(made.resources.begin(), made.resources.end()),
                       made.resources.end());
  size_t count = made.zones.size();
  made.allocatable.assign(made.resources.size() * count, kUnlisted);
  made.available.assign(made.resources.size() * count, kUnlisted);
  for (size_t zone = 0; zone < count; ++zone) {
    for (const NumaAmounts& amounts : records[made.zones[zone].listed].resources) {
      size_t cell = static_cast<size_t>(made.column(amounts.resource)) * count + zone;
      made.allocatable[cell] = std::max<int64_t>(0, amounts.allocatable);
      made.available[cell] = std::max<int64_t>(0, amounts.available);
    }
  }
}

void fill_costs(std::span<const NumaZoneRecord> records, NumaTopology& made) {
  constexpr int64_t kMostCost = std::numeric_limits<int16_t>::max();
  size_t count = made.zones.size();
  made.costs.assign(count * count, kNoCost);
  for (size_t from = 0; from < count; ++from) {
    for (const NumaZoneRecord::Cost& cost : records[made.zones[from].listed].costs) {
      auto to = std::find_if(made.zones.begin(), made.zones.end(),
                             [&](const NumaZone& zone) { return zone.name == cost.zone; });
      if (to == made.zones.end()) continue;
      made.costs[from * count + static_cast<size_t>(to - made.zones.begin())] =
          static_cast<int32_t>(std::clamp<int64_t>(cost.value, 0, kMostCost));
    }
  }
}

}  // namespace

std::optional<int64_t> zone_number(std::string_view name) {
  size_t last = name.find_last_not_of("0123456789");
  return whole_number(last == std::string_view::npos ? name : name.substr(last + 1));
}

std::optional<int64_t> plain_zone_id(std::string_view name) {
  if (!name.starts_with(kPlainName)) return std::nullopt;
  std::string_view digits = name.substr(kPlainName.size());
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return whole_number(digits);
}

int NumaTopology::column(ResourceId resource) const {
  auto found = std::lower_bound(resources.begin(), resources.end(), resource);
  bool present = found != resources.end() && *found == resource;
  return present ? static_cast<int>(found - resources.begin()) : -1;
}

uint64_t report_hash(const NumaTopology& topology) {
  uint64_t hash = 0;
  auto mix = [&hash](const auto& cells) {
    hash = XXH64(cells.data(), cells.size() * sizeof(cells[0]), hash);
  };
  for (const NumaZone& zone : topology.zones) mix(zone.name);
  mix(topology.allocatable);
  mix(topology.available);
  return hash == 0 ? 1 : hash;
}

NumaTopology make_numa_topology(NumaAttributes attributes,
                                std::span<const NumaZoneRecord> records) {
  NumaTopology made;
  made.attributes = std::move(attributes);
  made.zones = zones_of(records);
  fill_cells(records, made);
  fill_costs(records, made);
  return made;
}

}  // namespace trellis
