#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/topology.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 1> kTopologySpecKeys = {"levels"};
constexpr std::array<std::string_view, 2> kLevelKeys = {"nodeLabel", "alias"};
constexpr size_t kMostLevels = 16;

}  // namespace

TopologyRecord decode_topology(NamedObject named, FieldReader& fields) {
  TopologyRecord record{std::move(named.meta)};
  Topology& topology = record.topology;
  topology.name = std::move(named.name);
  Value object = named.object;
  fields.known_keys(object, kObjectKeys);
  Value spec = fields.object(object, "spec");
  fields.known_keys(spec, kTopologySpecKeys);
  Value levels = fields.list(spec, "levels");
  if (levels.size() == 0 && (levels.exists() || spec["levels"].absent())) {
    if (levels.is(ValueKind::Array)) {
      fields.error(levels, "no level", "from 1 to 16 levels");
    } else {
      Value parent = spec.absent() ? object : spec;
      fields.missing(parent, spec.absent() ? "spec" : "levels", "a list of levels");
    }
  }
  if (levels.size() > kMostLevels) {
    fields.error(levels, std::to_string(levels.size()) + " levels", "from 1 to 16 levels");
  }
  std::vector<StrId> words;
  auto take_word = [&](Value at) {
    StrId word = fields.intern(at.text());
    if (std::find(words.begin(), words.end(), word) != words.end()) {
      fields.error(at, in_quotes(at.text()) + " a second time", "each level once");
    }
    words.push_back(word);
    return word;
  };
  std::string_view lowest;
  for (Value item : levels.items()) lowest = item["nodeLabel"].text();
  // The number of levels that are labels of nodes.
  size_t last = levels.size() - (lowest == kNumaZoneLevel ? 1 : 0);
  std::string_view above;
  size_t position = 0;
  for (Value item : levels.items()) {
    ++position;
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with nodeLabel");
      continue;
    }
    fields.known_keys(item, kLevelKeys, true);
    std::string_view label = fields.string(item, "nodeLabel");
    if (item["nodeLabel"].absent()) {
      fields.missing(item, "nodeLabel", "the label of nodes that names their domain");
    }
    if (item["nodeLabel"].is(ValueKind::String) && label.empty()) {
      fields.error(item["nodeLabel"], "\"\"", "the label of nodes that names their domain");
    }
    if (label.empty()) continue;
    if (label == kHostname && position < last) {
      fields.error(item["nodeLabel"], in_quotes(label), "it only as the last level");
    }
    if (label == kNumaZoneLevel && (position < levels.size() || above != kHostname)) {
      fields.error(item["nodeLabel"], in_quotes(label),
                   "it only as the last level, right below " + std::string(kHostname));
    }
    above = label;
    TopologyLevel level;
    level.label = take_word(item["nodeLabel"]);
    if (!fields.string(item, "alias").empty()) level.alias = take_word(item["alias"]);
    topology.levels.push_back(level);
  }
  return record;
}

}  // namespace trellis
