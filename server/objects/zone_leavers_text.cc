#include "server/objects/zone_leavers_text.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "server/document/quantity.h"

namespace trellis {
namespace {

using LeaversJson = nlohmann::json;
using Amounts = std::vector<ResourceAmount>;

constexpr std::array<std::string_view, 3> kQosNames = {"BestEffort", "Burstable", "Guaranteed"};
constexpr std::array<std::string_view, 3> kKindNames = {"Init", "Sidecar", "App"};

bool in_milli(Unit unit) { return unit == Unit::MilliCpu || unit == Unit::MilliGpu; }

LeaversJson amounts_json(const Amounts& amounts, const ResourceTable& resources) {
  LeaversJson map = LeaversJson::object();
  for (const ResourceAmount& item : amounts) {
    std::string text = std::to_string(item.amount);
    if (in_milli(resources.unit(item.resource))) text += 'm';
    map[resources.name(item.resource)] = std::move(text);
  }
  return map;
}

LeaversJson leaver_json(const ZoneLeaver& leaver, const ResourceTable& resources) {
  const PodDemand& demand = leaver.demand;
  LeaversJson containers = LeaversJson::array();
  for (const ContainerDemand& one : demand.containers) {
    containers.push_back({{"kind", kKindNames[static_cast<size_t>(one.kind)]},
                          {"requests", amounts_json(one.requests, resources)}});
  }
  return {{"qos", kQosNames[static_cast<size_t>(demand.qos)]},
          {"containers", std::move(containers)},
          {"resources", amounts_json(demand.pod_level, resources)},
          {"overhead", amounts_json(demand.overhead, resources)},
          {"zones", leaver.zones}};
}

// Reads one text; `sound` turns false where something cannot be understood.
class LeaverReader {
 public:
  LeaverReader(Value at, FieldReader& fields) : at_(at), fields_(fields) {}

  bool sound() const { return sound_; }

  ZoneLeaver read(const LeaversJson& object) {
    ZoneLeaver leaver;
    if (!check(object.is_object())) return leaver;
    leaver.demand.qos = static_cast<Qos>(word(object, "qos", kQosNames));
    for (const LeaversJson& one : list(object, "containers")) {
      if (!check(one.is_object())) break;
      leaver.demand.containers.push_back(
          {static_cast<ContainerKind>(word(one, "kind", kKindNames)), amounts(one, "requests")});
    }
    leaver.demand.pod_level = amounts(object, "resources");
    leaver.demand.overhead = amounts(object, "overhead");
    for (const LeaversJson& set : list(object, "zones")) leaver.zones.push_back(ids(set));
    return leaver;
  }

 private:
  bool check(bool holds) {
    sound_ = sound_ && holds;
    return holds;
  }

  LeaversJson list(const LeaversJson& object, const char* key) {
    bool there = object.contains(key) && object[key].is_array();
    return check(there) ? object[key] : LeaversJson::array();
  }

  size_t word(const LeaversJson& object, const char* key, std::span<const std::string_view> words) {
    std::string text;
    if (object.contains(key) && object[key].is_string()) text = object[key].get<std::string>();
    auto found = std::ranges::find(words, text);
    return check(found != words.end()) ? static_cast<size_t>(found - words.begin()) : 0;
  }

  std::vector<int64_t> ids(const LeaversJson& set) {
    std::vector<int64_t> zones;
    if (!check(set.is_array())) return zones;
    for (const LeaversJson& zone : set) {
      if (check(zone.is_number_integer())) zones.push_back(zone.get<int64_t>());
    }
    return zones;
  }

  Amounts amounts(const LeaversJson& object, const char* key) {
    Amounts read;
    if (!check(object.contains(key) && object[key].is_object())) return read;
    for (const auto& [name, value] : object[key].items()) {
      ResourceId resource = fields_.resource(at_, name);
      if (!check(resource.valid() && value.is_string())) continue;
      bool milli = in_milli(fields_.vocabulary().resources.unit(resource));
      std::optional<Quantity> amount = parse_quantity(value.get<std::string>(), milli ? 3 : 0);
      if (check(amount && !amount->negative)) read.push_back({resource, amount->amount});
    }
    std::sort(read.begin(), read.end());
    return read;
  }

  Value at_;
  FieldReader& fields_;
  bool sound_ = true;
};

}  // namespace

std::string zone_leavers_text(const std::vector<ZoneLeaver>& leavers,
                              const ResourceTable& resources) {
  std::vector<LeaversJson> sorted;
  for (const ZoneLeaver& leaver : leavers) sorted.push_back(leaver_json(leaver, resources));
  std::sort(sorted.begin(), sorted.end());
  return LeaversJson(sorted).dump();
}

std::vector<ZoneLeaver> read_zone_leavers(Value annotation, FieldReader& fields) {
  std::vector<ZoneLeaver> leavers;
  if (annotation.text().empty()) return leavers;
  LeaverReader reader(annotation, fields);
  LeaversJson all = LeaversJson::parse(annotation.text(), nullptr, false);
  bool is_list = all.is_array();
  for (size_t i = 0; is_list && i < all.size(); ++i) leavers.push_back(reader.read(all[i]));
  if (is_list && reader.sound()) return leavers;
  fields.report().warning(
      annotation, {describe(annotation), "the pods that have left, as trellis saves them", ""});
  return {};
}

}  // namespace trellis
