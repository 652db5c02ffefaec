#include "server/grouping/link_topology.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "framework/topology.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

Reason reason(ReasonCode code, std::string_view topology, std::string_view subject) {
  Reason reason;
  reason.code = code;
  reason.plugin = "topology";
  reason.topology = topology;
  reason.subject = subject;
  return reason;
}

}  // namespace

TopologyLinker::TopologyLinker(const std::vector<TopologyRecord>& topologies,
                               Vocabulary& vocabulary, Report& report)
    : topologies_(topologies), strings_(vocabulary.strings), report_(report) {
  for (const TopologyRecord& record : topologies) {
    by_name_.emplace(record.meta.key.name.value, &record);
    if (!record.meta.broken()) names_.push_back(record.topology.name);
  }
}

ResolvedLevels TopologyLinker::check(const PlacedConstraint& wanted, std::vector<Reason>& errors) {
  ResolvedLevels levels;
  const TopologyConstraint& constraint = wanted.constraint;
  bool required = constraint.required.valid();
  bool asks_level = required || constraint.preferred.valid();
  if (!constraint.topology.valid()) {
    const Place& at = required ? wanted.required : wanted.preferred;
    std::string_view level = strings_.view(required ? constraint.required : constraint.preferred);
    report_.error(at, {"the level " + in_quotes(level) + " without a topology",
                       "the name of its Topology beside it", ""});
    errors.push_back(reason(ReasonCode::TopologyNotNamed, "", level));
    return levels;
  }
  std::string_view name = strings_.view(constraint.topology);
  if (wanted.implied == ImpliedTopology::First && is_label_topology(name)) {
    levels.required = 0;
    return levels;
  }
  auto found = by_name_.find(constraint.topology.value);
  if (found == by_name_.end() || found->second->meta.broken()) {
    // A broken topology has errors of its own.
    if (found == by_name_.end()) {
      report_.error(wanted.topology,
                    {in_quotes(name), "the name of a Topology", report_.nearest(name, names_)});
    }
    errors.push_back(reason(ReasonCode::TopologyNotFound, name, name));
    return levels;
  }
  if (!asks_level) {
    // Where there are other errors, the level may be absent only because it was not understood.
    if (!errors.empty()) return levels;
    report_.warning(wanted.topology, {"the topology " + in_quotes(name) + " without a level",
                                      "a required or preferred level beside it", ""});
    return levels;
  }
  const TopologyRecord& record = *found->second;
  levels.required = find(record, constraint.required, wanted.required, errors);
  levels.preferred = find(record, constraint.preferred, wanted.preferred, errors);
  if (levels.required < 0 || levels.preferred < 0 || levels.preferred >= levels.required) {
    return levels;
  }
  std::string_view preferred = strings_.view(constraint.preferred);
  report_.error(wanted.preferred, {"the preferred level " + in_quotes(preferred) +
                                       ", coarser than the required level " +
                                       in_quotes(strings_.view(constraint.required)),
                                   "the required level or a finer one", ""});
  errors.push_back(reason(ReasonCode::LevelOrder, name, preferred));
  return levels;
}

void TopologyLinker::check_order(const PlacedConstraint& wanted, ResolvedLevels levels,
                                 const TopologyAround& around, std::vector<Reason>& errors) {
  if (around.required < 0 || around.of != wanted.constraint.topology) return;
  auto check = [&](int level, StrId word, const Place& at) {
    if (level < 0 || level >= around.required) return true;
    std::string_view outer = strings_.view(around.required_word);
    report_.error(at, {"the level " + in_quotes(strings_.view(word)) + ", coarser than the level " +
                           in_quotes(outer) + " that is required around it",
                       "that level or a finer one", ""});
    Reason found = reason(ReasonCode::LevelOrder, strings_.view(wanted.constraint.topology),
                          strings_.view(word));
    found.level = outer;
    errors.push_back(std::move(found));
    return false;
  };
  if (check(levels.required, wanted.constraint.required, wanted.required)) {
    check(levels.preferred, wanted.constraint.preferred, wanted.preferred);
  }
}

bool TopologyLinker::has_zones(const TopologyRecord& record) const {
  const std::vector<TopologyLevel>& levels = record.topology.levels;
  return !record.meta.broken() && levels.size() > 1 &&
         strings_.view(levels.back().label) == kNumaZoneLevel;
}

bool TopologyLinker::is_zone(StrId topology, StrId word) const {
  auto found = by_name_.find(topology.value);
  if (!word.valid() || found == by_name_.end() || !has_zones(*found->second)) return false;
  const Topology& levels = found->second->topology;
  auto level = find_level(levels, strings_.view(word), strings_);
  return level && static_cast<size_t>(*level) + 1 == levels.levels.size();
}

StrId TopologyLinker::hostname_of(StrId topology) const {
  auto found = by_name_.find(topology.value);
  if (found == by_name_.end() || !has_zones(*found->second)) return {};
  const std::vector<TopologyLevel>& levels = found->second->topology.levels;
  return levels[levels.size() - 2].label;
}

bool TopologyLinker::some_have_zones() const {
  return std::any_of(topologies_.begin(), topologies_.end(),
                     [this](const TopologyRecord& record) { return has_zones(record); });
}

StrId TopologyLinker::implied_by(std::span<const StrId> words) const {
  const TopologyRecord* implied = nullptr;
  for (const TopologyRecord& record : topologies_) {
    bool has_all =
        !record.meta.broken() && std::all_of(words.begin(), words.end(), [&](StrId word) {
          return find_level(record.topology, strings_.view(word), strings_).has_value();
        });
    if (!has_all) continue;
    if (implied != nullptr) return {};
    implied = &record;
  }
  return implied == nullptr ? StrId() : implied->meta.key.name;
}

StrId TopologyLinker::any_with(const TopologyConstraint& levels, StrId rather) {
  auto rank = [&](const TopologyRecord& record) {
    auto lacks = [&](StrId level) {
      return level.valid() && !find_level(record.topology, strings_.view(level), strings_);
    };
    return std::tuple(lacks(levels.preferred), record.meta.key.name != rather,
                      std::string_view(record.topology.name));
  };
  const TopologyRecord* best = nullptr;
  for (const TopologyRecord& record : topologies_) {
    bool has = !record.meta.broken() &&
               find_level(record.topology, strings_.view(levels.required), strings_).has_value();
    if (has && (best == nullptr || rank(record) < rank(*best))) best = &record;
  }
  if (best != nullptr) return best->meta.key.name;
  return strings_.intern(label_topology_name(strings_.view(levels.required)));
}

int TopologyLinker::find(const TopologyRecord& record, StrId word, const Place& at,
                         std::vector<Reason>& errors) {
  if (!word.valid()) return -1;
  std::string_view text = strings_.view(word);
  std::optional<int> level = find_level(record.topology, text, strings_);
  if (level) return *level;
  std::vector<std::string_view> words;
  std::string listed;
  bool twice = false;
  int matches = 0;
  for (const TopologyLevel& candidate : record.topology.levels) {
    std::string_view label = strings_.view(candidate.label);
    if (last_part(label) == text) ++matches;
    twice = matches > 1;
    words.push_back(label);
    words.push_back(last_part(label));
    if (candidate.alias.valid()) words.push_back(strings_.view(candidate.alias));
    if (!listed.empty()) listed += ", ";
    listed += label;
  }
  // A whole label is suggested for a whole label, a last part for a last part.
  std::string near = twice ? "" : report_.nearest(text, words);
  report_.error(at, {in_quotes(text) + (twice ? ", which is the end of several levels" : ""),
                     "a level of Topology " + in_quotes(record.topology.name) + " (" + listed + ")",
                     std::move(near)});
  errors.push_back(reason(ReasonCode::LevelUnknown, record.topology.name, text));
  return -1;
}

}  // namespace trellis
