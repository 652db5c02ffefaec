#include "tests/worlds/world_mutator.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace trellis::worlds {
namespace {

using nlohmann::json;

constexpr size_t kMostLarge = 4;
constexpr size_t kMostAfterChanges = 1200;

// A value inside of an object, and where it stands.
struct Spot {
  json* parent = nullptr;
  std::string key;   // where the parent is an object
  size_t index = 0;  // where it is an array

  json& value() const { return parent->is_object() ? (*parent)[key] : (*parent)[index]; }
};

void collect(json& root, std::vector<Spot>& spots) {
  std::vector<json*> open = {&root};
  while (!open.empty()) {
    json* at = open.back();
    open.pop_back();
    if (at->is_object()) {
      for (auto& [key, value] : at->items()) {
        spots.push_back({at, key, 0});
        if (value.is_structured()) open.push_back(&value);
      }
    } else {
      for (size_t i = 0; i < at->size(); ++i) {
        spots.push_back({at, "", i});
        if ((*at)[i].is_structured()) open.push_back(&(*at)[i]);
      }
    }
  }
}

std::vector<Spot> spots_of(json& object) {
  std::vector<Spot> spots;
  collect(object, spots);
  return spots;
}

json extreme(Choices& choices) {
  static const std::array<json, 26> kValues = {json(0),
                                               json(-1),
                                               json(1),
                                               json(2),
                                               json(INT64_MAX),
                                               json(INT64_MIN),
                                               json(UINT64_MAX),
                                               json(2147483648LL),
                                               json(1e300),
                                               json(0.5),
                                               json(""),
                                               json("0"),
                                               json("-1"),
                                               json("9E"),
                                               json("9223372036854775807"),
                                               json("1e400"),
                                               json("100m"),
                                               json("1Ki"),
                                               json(" "),
                                               json("/"),
                                               json("a\nb\x1b[31m"),
                                               json("\xe2\x80\xae name"),
                                               json(std::string(300, 'x')),
                                               json("kubernetes.io/hostname"),
                                               json("2999-12-31T23:59:59Z"),
                                               json("0001-01-01T00:00:00Z")};
  return choices.pick(kValues);
}

json another_type(Choices& choices) {
  static const std::array<json, 9> kValues = {
      json(nullptr), json(true),     json(7),          json("word"),
      json::array(), json::object(), json::array({1}), json{{"a", json{{"b", 1}}}},
      json(1.5)};
  return choices.pick(kValues);
}

class Mutation {
 public:
  Mutation(World& world, Choices& choices) : world_(world), choices_(choices) {}

  void apply() {
    if (world_.objects.empty()) return;
    if (choices_.chance(25)) {
      change_objects();
    } else {
      change_value();
    }
  }

 private:
  json& any_object() { return choices_.pick(world_.objects); }

  static std::string name_of(const json& object) {
    auto meta = object.find("metadata");
    if (meta == object.end() || !meta->is_object()) return {};
    auto name = meta->find("name");
    return name != meta->end() && name->is_string() ? name->get<std::string>() : std::string();
  }

  static void rename(json& object, const std::string& name) {
    if (object.is_object()) object["metadata"]["name"] = name;
  }

  void change_objects() {
    std::vector<json>& objects = world_.objects;
    size_t at = choices_.below(objects.size());
    switch (choices_.below(5)) {
      case 0:
        objects.erase(objects.begin() + static_cast<ptrdiff_t>(at));
        break;
      case 1: {
        if (!objects[at].contains("metadata") || !objects[at]["metadata"].is_object()) break;
        rename(objects[at], choices_.chance(50) ? "renamed" : name_of(any_object()));
        break;
      }
      case 2:
        objects.push_back(objects[at]);
        break;
      default:
        copy_object(at);
    }
  }

  // Some thousands of pods each: more than a few of these make every run of the whole way slow.
  static bool makes_many_pods(const json& object) {
    constexpr double kMany = 100;
    auto spec = object.find("spec");
    if (spec == object.end() || !spec->is_object()) return false;
    return std::any_of(spec->begin(), spec->end(), [](const json& value) {
      return value.is_number() && value.get<double>() > kMany;
    });
  }

  // Under other names; seldom very often.
  void copy_object(size_t at) {
    json object = world_.objects[at];
    if (!object.contains("metadata") || !object["metadata"].is_object()) return;
    bool very_often = choices_.chance(1);
    size_t copies = very_often ? 1000 : 1 + choices_.below(6);
    if (makes_many_pods(object)) {
      auto large = static_cast<size_t>(std::ranges::count_if(world_.objects, makes_many_pods));
      copies = std::min(copies, kMostLarge - std::min(large, kMostLarge));
    }
    std::string name = name_of(object);
    object["metadata"].erase("uid");
    for (size_t i = 0; i < copies && world_.objects.size() < kMostAfterChanges; ++i) {
      rename(object, name + "-c" + std::to_string(i));
      world_.objects.push_back(object);
    }
  }

  void change_value() {
    json& object = any_object();
    std::vector<Spot> spots = spots_of(object);
    if (spots.empty()) return;
    const Spot spot = choices_.pick(spots);
    switch (choices_.below(10)) {
      case 0:
        drop(spot);
        break;
      case 1:
        rename_key(spot);
        break;
      case 2:
        spot.value() = another_type(choices_);
        break;
      case 3:
        spot.value() = nullptr;
        break;
      case 4:
        repeat(spot);
        break;
      case 5:
      case 6:
        spot.value() = extreme(choices_);
        break;
      case 7:
        swap_with_another(spot);
        break;
      case 8:
        change_name(object, spots);
        break;
      default:
        change_number(spot);
    }
  }

  static void drop(const Spot& spot) {
    if (spot.parent->is_object()) {
      spot.parent->erase(spot.key);
    } else {
      spot.parent->erase(spot.index);
    }
  }

  void rename_key(const Spot& spot) {
    if (!spot.parent->is_object()) return;
    json value = spot.value();
    spot.parent->erase(spot.key);
    std::vector<Spot> spots = spots_of(any_object());
    std::string key = spot.key + "s";
    if (!spots.empty() && choices_.chance(50)) {
      const Spot& other = choices_.pick(spots);
      if (other.parent->is_object()) key = other.key;
    }
    (*spot.parent)[key] = std::move(value);
  }

  void repeat(const Spot& spot) {
    if (!spot.parent->is_array()) return;
    json value = spot.value();
    size_t times = choices_.chance(3) ? 300 : 1 + choices_.below(3);
    for (size_t i = 0; i < times; ++i) spot.parent->push_back(value);
  }

  void swap_with_another(const Spot& spot) {
    std::vector<Spot> spots = spots_of(any_object());
    if (spots.empty()) return;
    // A copy: one may stand inside of the other.
    json value = choices_.pick(spots).value();
    spot.value() = std::move(value);
  }

  // Names of other objects, of this one, of none.
  void change_name(const json& object, const std::vector<Spot>& spots) {
    std::vector<Spot> texts;
    for (const Spot& spot : spots) {
      if (spot.value().is_string()) texts.push_back(spot);
    }
    if (texts.empty()) return;
    std::string own = name_of(object);
    std::string other = name_of(any_object());
    const Spot& spot = choices_.pick(texts);
    switch (choices_.below(3)) {
      case 0:
        spot.value() = own;
        break;
      case 1:
        spot.value() = other;
        break;
      default:
        spot.value() = "absent";
    }
  }

  void change_number(const Spot& spot) {
    json& value = spot.value();
    if (value.is_number_integer()) {
      int64_t number = value.get<int64_t>();
      value = choices_.chance(50) ? static_cast<int64_t>(choices_.below(9))
                                  : static_cast<int64_t>(static_cast<uint64_t>(number) * 2U);
    } else if (value.is_boolean()) {
      value = !value.get<bool>();
    } else if (value.is_string()) {
      value = std::to_string(choices_.below(40));
    }
  }

  World& world_;
  Choices& choices_;
};

constexpr std::array<std::string_view, 16> kConfigs = {
    "",
    "",
    "",
    "placementProfile: kueue\n",
    "placementStrategy: {gpu: spread, cpu: spread, domain: spread}\n",
    "plugins: {predicates: {enabled: false}}\n",
    "plugins: {topology: {enabled: false}}\n",
    "plugins: {proportion: {enabled: false}, quota: {enabled: false}}\n",
    "plugins: {numa: {enabled: false}, placementpreferences: {enabled: false}}\n",
    "actions: [allocate]\n",
    "actions: [admit, preempt, reclaim, consolidation, allocate, stalegangeviction]\n",
    "limits: {searchBudget: 10, consolidationVictims: -1, stalenessGracePeriod: 0s}\n",
    "queues: {fullHierarchy: false, kValue: 0.5, defaultPreemptMinRuntime: 1h}\n",
    "limits: {reserveAfter: 1s}\nperiod: 10s\n",
    "limits: {lookAhead: 3}\n",
    "defragmentation: {enabled: true, maxMovedGPUsPerHour: 64, minGain: 0.1}\n",
};

}  // namespace

World mutated_world(std::span<const World> shipped, Choices& choices) {
  World world = shipped[choices.below(shipped.size())];
  if (choices.chance(30)) {
    const World& other = shipped[choices.below(shipped.size())];
    world.name += "+" + other.name;
    world.objects.insert(world.objects.end(), other.objects.begin(), other.objects.end());
  }
  if (choices.chance(50)) world.config = std::string(choices.pick(kConfigs));
  size_t changes = choices.below(13);
  for (size_t i = 0; i < changes; ++i) mutate(world, choices);
  return world;
}

void mutate(World& world, Choices& choices) { Mutation(world, choices).apply(); }

}  // namespace trellis::worlds
