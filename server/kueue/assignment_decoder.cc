#include "server/kueue/assignment_decoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "server/kueue/assignment_slices.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 2> kCompactKeys = {"levels", "slices"};
constexpr std::array<std::string_view, 2> kPlainKeys = {"levels", "domains"};
constexpr std::array<std::string_view, 2> kDomainKeys = {"values", "count"};
constexpr std::array<std::string_view, 3> kSliceKeys = {"domainCount", "valuesPerLevel",
                                                        "podCounts"};
constexpr std::array<std::string_view, 2> kChoiceKeys = {"universal", "individual"};
constexpr std::array<std::string_view, 3> kPartKeys = {"prefix", "suffix", "roots"};
constexpr size_t kMostLevels = 16;
constexpr const char* kPodCount = "a whole number from 1 to 2147483647";

// The parts of the values of a level; the roots follow each other in the document.
struct LevelParts {
  std::string_view prefix;
  std::string_view suffix;
  Value roots;  // none: all are `prefix`
};

struct SliceParts {
  size_t domains = 0;
  std::vector<LevelParts> levels;
  std::vector<int32_t> counts;  // one: for all
};

class Decoder {
 public:
  explicit Decoder(FieldReader& fields) : fields_(fields) {}

  bool read(Value value, TopologyAssignment& assignment);

 private:
  bool refuse(Value at, std::string expected);
  bool lacks(Value parent, std::string_view key, std::string_view expected);
  bool object(Value at, std::span<const std::string_view> keys, bool strict = false);
  bool read_text(Value at, std::string_view& text);
  bool read_part(Value parent, std::string_view key, std::string_view& text);
  bool read_count(Value at, int32_t& count);
  Value list_of(Value parent, std::string_view key, size_t low, size_t high);
  bool read_levels(Value parent, std::vector<StrId>& levels);
  bool read_domain(Value value, TopologyAssignment& assignment);
  bool read_domains(Value list, TopologyAssignment& assignment);
  bool read_values(Value parent, SliceParts& slice, LevelParts& parts);
  bool read_counts(Value parent, SliceParts& slice);
  bool read_slice(Value value, size_t levels, SliceParts& slice);
  bool read_slices(Value list, TopologyAssignment& assignment);
  void put_values(const LevelParts& parts, size_t domains, StrId* value, size_t stride);
  void put_slice(const SliceParts& slice, TopologyAssignment& assignment);
  bool each_once(Value at, const TopologyAssignment& assignment);

  FieldReader& fields_;
};

bool Decoder::refuse(Value at, std::string expected) {
  fields_.error(at, describe(at), std::move(expected));
  return false;
}

bool Decoder::lacks(Value parent, std::string_view key, std::string_view expected) {
  fields_.missing(parent, key, std::string(expected));
  return false;
}

bool Decoder::object(Value at, std::span<const std::string_view> keys, bool strict) {
  if (!at.is(ValueKind::Object)) return refuse(at, "an object");
  size_t errors = fields_.report().errors();
  fields_.known_keys(at, keys, strict);
  return fields_.report().errors() == errors;
}

bool Decoder::read_text(Value at, std::string_view& text) {
  if (!at.is(ValueKind::String)) return refuse(at, expected_string(at));
  text = at.text();
  if (text.size() <= kLongestLabelValue) return true;
  return refuse(at, "at most " + std::to_string(kLongestLabelValue) + " characters");
}

bool Decoder::read_part(Value parent, std::string_view key, std::string_view& text) {
  Value at = parent[key];
  return at.absent() || read_text(at, text);
}

bool Decoder::read_count(Value at, int32_t& count) {
  std::string_view text = at.text();
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  bool whole = fault == std::errc() && end == text.data() + text.size();
  if (at.is(ValueKind::Number) && whole && count >= 1) return true;
  return refuse(at, kPodCount);
}

// A list of `low` to `high` items; nothing, and an error, when it is anything else.
Value Decoder::list_of(Value parent, std::string_view key, size_t low, size_t high) {
  std::string expected = "a list of " + std::to_string(low);
  if (high > low) expected += " to " + std::to_string(high);
  Value at = parent[key];
  if (at.absent()) {
    lacks(parent, key, expected);
    return {};
  }
  if (!at.is(ValueKind::Array)) {
    refuse(at, expected);
    return {};
  }
  if (at.size() >= low && at.size() <= high) return at;
  fields_.error(at, "a list of " + std::to_string(at.size()), expected);
  return {};
}

bool Decoder::read_levels(Value parent, std::vector<StrId>& levels) {
  Value list = list_of(parent, "levels", 1, kMostLevels);
  if (!list.exists()) return false;
  for (Value item : list.items()) {
    if (!item.is(ValueKind::String) || item.text().empty()) return refuse(item, "a node label");
    StrId level = fields_.intern(item.text());
    bool fresh = std::find(levels.begin(), levels.end(), level) == levels.end();
    if (!fresh) return refuse(item, "each level once");
    levels.push_back(level);
  }
  return true;
}

bool Decoder::read_values(Value parent, SliceParts& slice, LevelParts& parts) {
  if (!object(parent, kChoiceKeys)) return false;
  Value individual = parent["individual"];
  bool universal = !parent["universal"].absent();
  if (universal == !individual.absent()) return refuse(parent, "universal or individual");
  if (universal) return read_text(parent["universal"], parts.prefix);
  if (!object(individual, kPartKeys)) return false;
  if (!read_part(individual, "prefix", parts.prefix)) return false;
  if (!read_part(individual, "suffix", parts.suffix)) return false;
  parts.roots = list_of(individual, "roots", slice.domains, slice.domains);
  if (!parts.roots.exists()) return false;
  std::string_view root;
  for (Value item : parts.roots.items()) {
    if (!read_text(item, root)) return false;
  }
  return true;
}

bool Decoder::read_counts(Value parent, SliceParts& slice) {
  Value counts = parent["podCounts"];
  if (counts.absent()) return lacks(parent, "podCounts", "how many pods each domain takes");
  if (!object(counts, kChoiceKeys)) return false;
  Value universal = counts["universal"];
  if (universal.absent() == counts["individual"].absent()) {
    return refuse(counts, "universal or individual");
  }
  if (!universal.absent()) return read_count(universal, slice.counts.emplace_back());
  Value list = list_of(counts, "individual", slice.domains, slice.domains);
  if (!list.exists()) return false;
  slice.counts.reserve(slice.domains);
  for (Value item : list.items()) {
    if (!read_count(item, slice.counts.emplace_back())) return false;
  }
  return true;
}

bool Decoder::read_slice(Value value, size_t levels, SliceParts& slice) {
  if (!object(value, kSliceKeys)) return false;
  auto domains = fields_.integer(value, "domainCount", 1, kMostSliceDomains);
  if (value["domainCount"].absent()) return lacks(value, "domainCount", "how many domains it has");
  if (!domains) return false;
  slice.domains = static_cast<size_t>(*domains);
  Value values = list_of(value, "valuesPerLevel", levels, levels);
  if (!values.exists()) return false;
  bool distinguished = slice.domains == 1;
  for (Value item : values.items()) {
    if (!read_values(item, slice, slice.levels.emplace_back())) return false;
    distinguished |= slice.levels.back().roots.exists();
  }
  // This also keeps a short text from describing a great many domains.
  if (!distinguished) return refuse(values, "individual values, as it has several domains");
  return read_counts(value, slice);
}

bool Decoder::read_domain(Value value, TopologyAssignment& assignment) {
  // A warning for each of 100,000 domains would take as many walks through the document.
  if (!object(value, kDomainKeys, true)) return false;
  size_t levels = assignment.levels.size();
  Value values = list_of(value, "values", levels, levels);
  if (!values.exists()) return false;
  std::string_view text;
  for (Value item : values.items()) {
    if (!read_text(item, text)) return false;
    assignment.values.push_back(fields_.intern(text));
  }
  if (value["count"].absent()) return lacks(value, "count", kPodCount);
  return read_count(value["count"], assignment.counts.emplace_back());
}

// Writes the values of a slice at a level, `stride` apart.
void Decoder::put_values(const LevelParts& parts, size_t domains, StrId* value, size_t stride) {
  std::string text(parts.prefix);
  if (!parts.roots.exists()) {
    StrId same = fields_.intern(text);
    for (size_t i = 0; i < domains; ++i) value[i * stride] = same;
    return;
  }
  for (Value root : parts.roots.items()) {
    text.resize(parts.prefix.size());
    text += root.text();
    text += parts.suffix;
    *value = fields_.intern(text);
    value += stride;
  }
}

void Decoder::put_slice(const SliceParts& slice, TopologyAssignment& assignment) {
  size_t levels = assignment.levels.size();
  size_t first = assignment.values.size();
  assignment.values.resize(first + slice.domains * levels);
  for (size_t level = 0; level < levels; ++level) {
    StrId* value = assignment.values.data() + first + level;
    put_values(slice.levels[level], slice.domains, value, levels);
  }
  std::vector<int32_t>& counts = assignment.counts;
  if (slice.counts.size() == 1) {
    counts.resize(counts.size() + slice.domains, slice.counts.front());
  } else {
    counts.insert(counts.end(), slice.counts.begin(), slice.counts.end());
  }
}

bool Decoder::read_domains(Value list, TopologyAssignment& assignment) {
  for (Value item : list.items()) {
    if (!read_domain(item, assignment)) return false;
  }
  return true;
}

bool Decoder::read_slices(Value list, TopologyAssignment& assignment) {
  for (Value item : list.items()) {
    SliceParts slice;
    if (!read_slice(item, assignment.levels.size(), slice)) return false;
    put_slice(slice, assignment);
  }
  return true;
}

// Where domains are in order, equal domains are neighbours.
bool Decoder::each_once(Value at, const TopologyAssignment& assignment) {
  size_t levels = assignment.levels.size();
  for (size_t first = levels; first < assignment.values.size(); first += levels) {
    auto path = std::span(assignment.values).subspan(first, levels);
    if (!std::equal(path.begin(), path.end(), path.begin() - levels)) continue;
    std::string found = "the domain";
    for (StrId value : path) found += " " + in_quotes(fields_.vocabulary().strings.view(value));
    fields_.error(at, found + " twice", "each domain once");
    return false;
  }
  return true;
}

bool Decoder::read(Value value, TopologyAssignment& assignment) {
  bool plain = value["slices"].absent() && !value["domains"].absent();
  std::span<const std::string_view> keys = plain ? kPlainKeys : kCompactKeys;
  if (!object(value, keys) || !read_levels(value, assignment.levels)) return false;
  // Kueue leaves a list out when it is empty.
  if (value[keys.back()].absent()) return true;
  Value list = list_of(value, keys.back(), 0, plain ? kMostSliceDomains : kMostSlices);
  if (!list.exists()) return false;
  bool read = plain ? read_domains(list, assignment) : read_slices(list, assignment);
  return read && each_once(list, assignment);
}

}  // namespace

std::optional<TopologyAssignment> decode_assignment(Value value, FieldReader& fields) {
  TopologyAssignment assignment;
  if (!Decoder(fields).read(value, assignment)) return std::nullopt;
  return assignment;
}

}  // namespace trellis
