#include "server/grouping/preference_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "framework/ascii.h"
#include "framework/vocabulary.h"
#include "server/objects/label_key.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

using ParsedJson = nlohmann::json;
using Over = PlacementPreference::Over;
using Way = PlacementPreference::Way;

constexpr std::string_view kForms =
    "one of {\"spread\":{\"label\":L}} (beside it \"weights\":{VALUE:NUMBER}, or "
    "\"maxSkew\":NUMBER and \"hard\":true), {\"spread\":{\"node\":true}}, "
    "{\"spread\":{\"resource\":R}}, {\"pack\":{\"label\":L}}, {\"pack\":{\"node\":true}} and "
    "{\"pack\":{\"resource\":R}}";

constexpr std::array<std::string_view, 2> kWays = {"pack", "spread"};
constexpr std::array<std::string_view, 6> kMembers = {"hard", "label",    "maxSkew",
                                                      "node", "resource", "weights"};
// The names of the label that a spread is over in SwarmKit, its JSON and Docker's API.
constexpr std::array<std::string_view, 3> kForeignLabels = {"spread_descriptor", "spreadDescriptor",
                                                            "SpreadDescriptor"};
// SwarmKit's prefixes for a label of a node, and of the engine on it: here both are the node's.
constexpr std::array<std::string_view, 2> kDescriptors = {"node.labels.", "engine.labels."};

std::string_view label_key(std::string_view text) {
  for (std::string_view prefix : kDescriptors) {
    bool starts =
        text.size() > prefix.size() && std::ranges::equal(text.substr(0, prefix.size()), prefix, {},
                                                          [](char c) { return lower(c); });
    if (starts) return text.substr(prefix.size());
  }
  return text;
}

class PreferenceParser {
 public:
  PreferenceParser(Vocabulary& vocabulary, Finding& fault)
      : vocabulary_(vocabulary), fault_(fault) {}

  bool parse(const ParsedJson& item) {
    if (!item.is_object() || item.size() != 1) return fail(item.dump());
    const std::string& way = item.begin().key();
    const ParsedJson& what = item.begin().value();
    if (const ParsedJson* label = foreign_label(way, what)) {
      made.way = Way::Spread;
      return parse_label(*label);
    }
    if (way != "spread" && way != "pack") return fail(quote(way), nearest_word(way, kWays));
    made.way = way == "pack" ? Way::Pack : Way::Spread;
    if (!what.is_object()) return fail(item.dump());
    for (const auto& [key, value] : what.items()) {
      bool known = std::ranges::find(kMembers, key) != kMembers.end();
      if (!known) return fail(quote(key), nearest_word(key, kMembers));
    }
    size_t objects = what.count("label") + what.count("node") + what.count("resource");
    if (objects != 1) return fail(item.dump());
    return parse_over(what) && parse_weights(what) && parse_skew(what);
  }

  PlacementPreference made;

 private:
  // The label of a spread as SwarmKit's JSON, Docker's API or a compose file writes it; else null.
  static const ParsedJson* foreign_label(const std::string& way, const ParsedJson& what) {
    if (way != "spread" && way != "Spread") return nullptr;
    if (what.is_string()) return &what;
    bool one = what.is_object() && what.size() == 1 &&
               std::ranges::find(kForeignLabels, what.begin().key()) != kForeignLabels.end();
    return one ? &what.begin().value() : nullptr;
  }

  static std::string quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

  bool fail(std::string found, std::string nearest = "") {
    fault_ = {std::move(found), std::string(kForms), std::move(nearest)};
    return false;
  }

  bool parse_over(const ParsedJson& what) {
    if (auto node = what.find("node"); node != what.end()) {
      made.over = Over::Node;
      return *node == true || fail("\"node\":" + node->dump());
    }
    if (auto resource = what.find("resource"); resource != what.end()) {
      made.over = Over::Resource;
      if (!resource->is_string() || resource->get_ref<const std::string&>().empty()) {
        return fail("\"resource\":" + resource->dump());
      }
      // A resource that no object of the input has is unknown here: then pods are counted.
      made.resource = vocabulary_.resources.find(resource->get_ref<const std::string&>());
      return true;
    }
    return parse_label(what.at("label"));
  }

  bool parse_label(const ParsedJson& label) {
    if (!label.is_string()) return fail("\"label\":" + label.dump());
    std::string_view key = label_key(label.get_ref<const std::string&>());
    if (!is_label_key(key)) {
      fault_ = {"\"label\":" + label.dump(), std::string(kLabelKeyWanted), ""};
      return false;
    }
    made.label = vocabulary_.strings.intern(key);
    return true;
  }

  bool parse_weights(const ParsedJson& what) {
    auto weights = what.find("weights");
    if (weights == what.end()) return true;
    bool fitting = made.way == Way::Spread && made.over == Over::Label && weights->is_object();
    if (!fitting) return fail("\"weights\":" + weights->dump());
    for (const auto& [value, weight] : weights->items()) {
      if (!is_whole(weight, PlacementPreference::kMostWeight)) {
        fault_ = {"the weight " + weight.dump() + " of " + quote(value),
                  "a whole number from 1 to " + std::to_string(PlacementPreference::kMostWeight),
                  ""};
        return false;
      }
      made.weights.push_back({vocabulary_.strings.intern(value), weight.get<int32_t>()});
    }
    return true;
  }

  bool parse_skew(const ParsedJson& what) {
    auto skew = what.find("maxSkew");
    auto hard = what.find("hard");
    if (hard == what.end() && skew == what.end()) return true;
    bool soft = hard == what.end() || *hard == false;
    if (hard != what.end() && !hard->is_boolean()) return fail("\"hard\":" + hard->dump());
    if (soft && skew == what.end()) return true;
    bool fitting =
        !soft && made.way == Way::Spread && made.over == Over::Label && made.weights.empty();
    if (!fitting) return fail(what.dump());
    if (skew != what.end() && !is_whole(*skew, INT32_MAX)) {
      fault_ = {"\"maxSkew\":" + skew->dump(), "a whole number of at least 1", ""};
      return false;
    }
    made.max_skew = skew == what.end() ? 1 : skew->get<int32_t>();
    return true;
  }

  static bool is_whole(const ParsedJson& number, int64_t most) {
    return number.is_number_integer() && number.get<int64_t>() >= 1 &&
           number.get<int64_t>() <= most;
  }

  Vocabulary& vocabulary_;
  Finding& fault_;
};

}  // namespace

std::optional<PlacementPreference> parse_preference(const ParsedJson& item, Vocabulary& vocabulary,
                                                    Finding& fault) {
  PreferenceParser parser(vocabulary, fault);
  if (!parser.parse(item)) return std::nullopt;
  return std::move(parser.made);
}

}  // namespace trellis
