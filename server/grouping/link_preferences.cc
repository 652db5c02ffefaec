#include "server/grouping/link_preferences.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "server/document/object_error.h"
#include "server/document/quantity.h"
#include "server/grouping/preference_json.h"
#include "server/text/printable.h"

namespace trellis {
namespace {

using ParsedJson = nlohmann::json;

constexpr size_t kMostPreferences = 16;
constexpr int kDeepest = 3;  // a list of objects of objects of weights

// Discarded when the text is no JSON, or deeper than any preference: the error about a wrong
// preference quotes it, and nlohmann writes by recursion.
ParsedJson parse_shallow(std::string_view text) {
  bool deep = false;
  auto keep = [&](int depth, ParsedJson::parse_event_t event, const ParsedJson&) {
    bool opens = event == ParsedJson::parse_event_t::object_start ||
                 event == ParsedJson::parse_event_t::array_start;
    deep = deep || (opens && depth > kDeepest);
    return !deep;
  };
  ParsedJson parsed = ParsedJson::parse(text, keep, /*allow_exceptions=*/false);
  return deep ? ParsedJson(ParsedJson::value_t::discarded) : std::move(parsed);
}

}  // namespace

PlacementPreferences PreferenceLinker::parse(const PreferenceKeys& keys,
                                             std::vector<Reason>& errors) {
  PlacementPreferences made;
  if (keys.list.valid()) made.list = parse_list(keys.list, errors);
  if (keys.max_per_node.valid()) {
    std::string_view text = fields_.vocabulary().strings.view(keys.max_per_node.text);
    int64_t most = to_integer(text).value_or(0);
    if (most >= 1 && most <= INT32_MAX) {
      made.max_pods_per_node = static_cast<int32_t>(most);
    } else {
      fail(keys.max_per_node, {in_quotes(text), "a whole number of at least 1, as a string", ""},
           errors);
    }
  }
  return made;
}

std::vector<PlacementPreference> PreferenceLinker::parse_list(const PlacedWord& word,
                                                              std::vector<Reason>& errors) {
  std::string_view text = fields_.vocabulary().strings.view(word.text);
  ParsedJson list = parse_shallow(text);
  if (!list.is_array() || list.size() > kMostPreferences) {
    fail(word,
         {in_quotes(text),
          "a JSON list of at most 16 preferences, such as "
          "[{\"spread\":{\"label\":\"topology.kubernetes.io/zone\"}}]",
          ""},
         errors);
    return {};
  }
  std::vector<PlacementPreference> made;
  // As SwarmKit does for a service without preferences.
  if (list.empty()) made.push_back({.over = PlacementPreference::Over::Node});
  for (const ParsedJson& item : list) {
    Finding fault;
    auto number = std::to_string(made.size() + 1);
    std::optional<PlacementPreference> one = parse_preference(item, fields_.vocabulary(), fault);
    if (!one) {
      fault.found = printable(fault.found) + " in preference " + number;
      fail(word, std::move(fault), errors);
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

void PreferenceLinker::fail(const PlacedWord& word, Finding finding, std::vector<Reason>& errors) {
  errors.push_back(invalid_value(word.at.path, finding));
  fields_.report().error(word.at, std::move(finding));
}

}  // namespace trellis
