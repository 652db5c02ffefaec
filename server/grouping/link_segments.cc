#include "server/grouping/link_segments.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "server/document/quantity.h"

namespace trellis {
namespace {

using ParsedJson = nlohmann::json;

constexpr std::string_view kLayersExpected =
    "1 to 3 layers such as [{\"topology\":\"rack\",\"size\":4}]";

bool is_size(int64_t value) { return value >= 1 && value <= INT32_MAX; }

// Reads {"topology", "size"}; nullopt when the item does not have this form.
std::optional<std::pair<std::string, int64_t>> read_layer(const ParsedJson& item) {
  if (!item.is_object()) return std::nullopt;
  auto topology = item.find("topology");
  auto size = item.find("size");
  if (topology == item.end() || !topology->is_string() || topology->get<std::string>().empty()) {
    return std::nullopt;
  }
  if (size == item.end() || !size->is_number_integer()) return std::nullopt;
  auto count = size->get<int64_t>();
  if (!is_size(count)) return std::nullopt;
  return std::pair(topology->get<std::string>(), count);
}

}  // namespace

std::vector<StrId> level_words(const std::vector<PlacedLayer>& layers) {
  std::vector<StrId> words;
  for (const PlacedLayer& layer : layers) {
    for (StrId word : {layer.levels.constraint.required, layer.levels.constraint.preferred}) {
      if (word.valid()) words.push_back(word);
    }
  }
  return words;
}

std::vector<PlacedLayer> SegmentLinker::parse(const StructureKeys& keys, int64_t group_size,
                                              std::string_view subgroup,
                                              std::vector<Reason>& errors) {
  if (keys.segment_layers.valid()) {
    if (!keys.has_segment()) return parse_json(keys.segment_layers, subgroup, errors);
    fail(keys.segment_layers.at,
         {"layers of segments beside a segment of its own", "one or the other", ""},
         "asked for in two ways", subgroup, errors);
    return {};
  }
  if (!keys.has_segment()) return {};
  PlacedLayer layer;
  layer.size = group_size;
  if (keys.segment_size.valid()) {
    std::string_view text = view(keys.segment_size.text);
    int64_t size = to_integer(text).value_or(0);
    if (!is_size(size)) {
      fail(keys.segment_size.at, {in_quotes(text), "a whole number of at least 1, as a string", ""},
           "the size " + in_quotes(text), subgroup, errors);
      return {};
    }
    layer.size = size;
  }
  layer.size_at = keys.segment_size.at;
  PlacedConstraint& levels = layer.levels;
  levels.constraint.required = keys.segment_required.text;
  levels.required = keys.segment_required.at;
  levels.constraint.preferred = keys.segment_preferred.text;
  levels.preferred = keys.segment_preferred.at;
  bool required = keys.segment_required.valid();
  if (!required && !keys.segment_preferred.valid()) {
    fields_.report().warning(layer.size_at, {"a size of segments without a level",
                                             "a required or preferred level beside it", ""});
    return {};
  }
  if (layer.size < 1) {
    std::string level = in_quotes(view(required ? keys.segment_required.text  //
                                                : keys.segment_preferred.text));
    fail(required ? levels.required : levels.preferred,
         {"the level " + level + " of segments without a size", "their size beside it", ""},
         "the level " + level + " without a size", subgroup, errors);
    return {};
  }
  return {std::move(layer)};
}

std::vector<PlacedLayer> SegmentLinker::parse_json(const PlacedWord& word,
                                                   std::string_view subgroup,
                                                   std::vector<Reason>& errors) {
  std::string_view text = view(word.text);
  ParsedJson list = ParsedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<PlacedLayer> layers;
  bool good = list.is_array() && !list.empty() && list.size() <= kMostSegmentLayers;
  for (size_t i = 0; good && i < list.size(); ++i) {
    auto read = read_layer(list[i]);
    good = read.has_value();
    if (!good) break;
    PlacedLayer layer;
    layer.size = read->second;
    layer.size_at = word.at;
    layer.levels.constraint.required = fields_.intern(read->first);
    layer.levels.required = word.at;
    layers.push_back(std::move(layer));
  }
  if (good) return layers;
  fail(word.at, {in_quotes(text), std::string(kLayersExpected), ""}, "no layers of segments",
       subgroup, errors);
  return {};
}

std::vector<SegmentLayer> SegmentLinker::link(const std::vector<PlacedLayer>& layers,
                                              const TopologyAround& around,
                                              std::string_view subgroup,
                                              std::vector<Reason>& errors) {
  std::vector<SegmentLayer> segments;
  size_t before = errors.size();
  const PlacedLayer* outer = nullptr;
  int outer_level = -1;
  for (const PlacedLayer& layer : layers) {
    PlacedConstraint wanted = layer.levels;
    wanted.constraint.topology = around.topology;
    wanted.topology = around.topology_at;
    if (asks_zone(wanted, subgroup, errors)) break;
    ResolvedLevels levels = topologies_.check(wanted, errors);
    if (outer == nullptr) {
      topologies_.check_order(wanted, levels, around, errors);
    } else if (!nests(*outer, outer_level, layer, levels.required, subgroup, errors)) {
      break;
    }
    outer = &layer;
    outer_level = levels.required;
    segments.push_back({static_cast<int32_t>(layer.size), layer.levels.constraint.required,
                        layer.levels.constraint.preferred});
  }
  if (errors.size() == before) return segments;
  for (size_t i = before; i < errors.size(); ++i) errors[i].subgroup = subgroup;
  return {};
}

bool SegmentLinker::asks_zone(const PlacedConstraint& wanted, std::string_view subgroup,
                              std::vector<Reason>& errors) {
  const TopologyConstraint& constraint = wanted.constraint;
  bool required = topologies_.is_zone(constraint.topology, constraint.required);
  if (!required && !topologies_.is_zone(constraint.topology, constraint.preferred)) return false;
  std::string level = in_quotes(view(required ? constraint.required : constraint.preferred));
  fail(required ? wanted.required : wanted.preferred,
       {"the level " + level + " for segments", "the hostname or a coarser level", ""},
       "the level " + level, subgroup, errors);
  return true;
}

bool SegmentLinker::nests(const PlacedLayer& outer, int outer_level, const PlacedLayer& inner,
                          int inner_level, std::string_view subgroup, std::vector<Reason>& errors) {
  if (outer.size % inner.size != 0) {
    std::string sizes =
        std::to_string(inner.size) + ", which does not divide " + std::to_string(outer.size);
    fail(inner.size_at, {"the segment size " + sizes, "a divisor of the size before it", ""},
         "the size " + sizes, subgroup, errors);
    return false;
  }
  if (outer_level < 0 || inner_level < 0 || inner_level > outer_level) return true;
  std::string order = in_quotes(view(inner.levels.constraint.required)) +
                      ", which is not finer than " +
                      in_quotes(view(outer.levels.constraint.required));
  fail(inner.levels.required, {"the segment level " + order, "a level below the one before it", ""},
       "the level " + order, subgroup, errors);
  return false;
}

void SegmentLinker::fail(const Place& at, Finding finding, std::string subject,
                         std::string_view subgroup, std::vector<Reason>& errors) {
  fields_.report().error(at, std::move(finding));
  Reason reason;
  reason.code = ReasonCode::SegmentSizes;
  reason.subgroup = subgroup;
  reason.subject = std::move(subject);
  errors.push_back(std::move(reason));
}

}  // namespace trellis
