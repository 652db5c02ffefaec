#include "server/manifest/link_preferences.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "server/manifest/preference_json.h"

namespace trellis {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kListKey = "trellis.scheduler/placement-preferences";
constexpr std::string_view kMostKey = "trellis.scheduler/max-pods-per-node";
constexpr size_t kMostPreferences = 16;

std::optional<int32_t> to_count(std::string_view text) {
  int32_t value = 0;
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && value >= 1 ? std::optional(value) : std::nullopt;
}

}  // namespace

PlacementPreferences PreferenceLinker::parse(const PreferenceKeys& keys,
                                             std::vector<Reason>& errors) {
  PlacementPreferences made;
  if (keys.list.valid()) made.list = parse_list(keys.list, errors);
  if (keys.max_per_node.valid()) {
    std::string_view text = fields_.vocabulary().strings.view(keys.max_per_node.text);
    std::optional<int32_t> most = to_count(text);
    if (!most) {
      fail(keys.max_per_node, {in_quotes(text), "a whole number of at least 1, as a string", ""},
           kMostKey, errors);
    }
    made.max_pods_per_node = most.value_or(0);
  }
  return made;
}

std::vector<PlacementPreference> PreferenceLinker::parse_list(const PlacedWord& word,
                                                              std::vector<Reason>& errors) {
  std::string_view text = fields_.vocabulary().strings.view(word.text);
  Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array() || list.size() > kMostPreferences) {
    fail(word,
         {in_quotes(text),
          "a JSON list of at most 16 preferences, such as "
          "[{\"spread\":{\"label\":\"topology.kubernetes.io/zone\"}}]",
          ""},
         kListKey, errors);
    return {};
  }
  std::vector<PlacementPreference> made;
  // As SwarmKit's service without preferences.
  if (list.empty()) made.push_back({.over = PlacementPreference::Over::Node});
  for (const Json& item : list) {
    Finding fault;
    auto number = std::to_string(made.size() + 1);
    std::optional<PlacementPreference> one = parse_preference(item, fields_.vocabulary(), fault);
    if (!one) {
      fault.found = one_line(fault.found) + " in preference " + number;
      fail(word, std::move(fault), kListKey, errors);
      return {};
    }
    bool ended = !made.empty() && made.back().over != PlacementPreference::Over::Label;
    if (ended) {
      fields_.report().warning(word.at,
                               {"preference " + number + " behind one over nodes or a resource",
                                "nothing behind it, for it ends the list", ""});
      break;
    }
    made.push_back(std::move(*one));
  }
  return made;
}

void PreferenceLinker::fail(const PlacedWord& word, Finding finding, std::string_view key,
                            std::vector<Reason>& errors) {
  fields_.report().error(word.at, std::move(finding));
  Reason reason;
  reason.code = ReasonCode::InvalidObject;
  reason.subject = key;
  errors.push_back(std::move(reason));
}

}  // namespace trellis
