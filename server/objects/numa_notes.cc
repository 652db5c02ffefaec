#include "server/objects/numa_notes.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/numa.h"

namespace trellis {
namespace {

using NotesJson = nlohmann::json;

std::vector<int64_t> zones_in(const NotesJson& list) {
  std::vector<int64_t> zones;
  for (const NotesJson& zone : list) {
    if (zone.is_number_integer()) zones.push_back(zone.get<int64_t>());
  }
  return zones;
}

}  // namespace

bool read_numa_notes(std::string_view hint, std::string_view report, const StringTable& strings,
                     PodContainers& containers) {
  containers.bound_after = 0;
  std::from_chars(report.data(), report.data() + report.size(), containers.bound_after, 16);
  containers.zones.clear();
  if (hint.empty()) return true;
  NotesJson zones = NotesJson::parse(hint, nullptr, false);
  if (!zones.is_object()) return false;
  for (StrId name : containers.names) {
    auto found = zones.find(std::string(strings.view(name)));
    containers.zones.push_back(found == zones.end() ? std::vector<int64_t>() : zones_in(*found));
  }
  return true;
}

bool read_observed_zones(std::string_view text, PodContainers& containers) {
  NotesJson observed = NotesJson::parse(text, nullptr, false);
  if (!observed.is_array()) return false;
  std::vector<int64_t> zones;
  for (const NotesJson& one : observed) {
    if (!one.is_object() || !one.contains("zone") || !one["zone"].is_string()) return false;
    std::optional<int64_t> id = zone_number(one["zone"].get<std::string>());
    if (!id) return false;
    zones.push_back(*id);
  }
  containers.zones.assign(containers.names.size(), zones);
  return true;
}

}  // namespace trellis
