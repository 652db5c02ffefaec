#include "server/objects/decode_pod_terms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/objects/decode_selectors.h"

namespace trellis {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::array<std::string_view, 2> kWhenUnsatisfiable = {"DoNotSchedule", "ScheduleAnyway"};
constexpr std::array<std::string_view, 2> kPolicies = {"Honor", "Ignore"};

constexpr size_t kMostPodTerms = 256;  // of a kind: each term is evaluated for each node

std::vector<StrId> read_words(Value parent, std::string_view key, FieldReader& fields) {
  std::vector<StrId> words;
  for (Value item : fields.list(parent, key).items()) {
    if (item.is(ValueKind::String) && !item.text().empty()) {
      words.push_back(fields.intern(item.text()));
    } else {
      fields.error(item, describe(item), "a string");
    }
  }
  return words;
}

std::optional<StrId> read_topology_key(Value term, FieldReader& fields) {
  return fields.name(term, "topologyKey", "the key of a label of nodes");
}

// Label keys whose values are taken from the pod itself; they need a selector beside them.
std::vector<StrId> read_label_keys(Value term, std::string_view name, FieldReader& fields) {
  std::vector<StrId> keys = read_words(term, name, fields);
  if (!keys.empty() && term["labelSelector"].absent()) {
    fields.error(term[name], "label keys without a labelSelector", "a labelSelector beside them");
  }
  return keys;
}

// nullopt: the term has no valid topologyKey.
std::optional<PodTerm> read_term(Value value, FieldReader& fields) {
  if (!value.is(ValueKind::Object)) {
    fields.error(value, describe(value), "an object with topologyKey and labelSelector");
    return std::nullopt;
  }
  std::optional<StrId> key = read_topology_key(value, fields);
  PodTerm term;
  term.pods.nothing = value["labelSelector"].absent();
  term.pods.labels = decode_label_selector(fields.object(value, "labelSelector"), fields);
  term.pods.name_spaces = read_words(value, "namespaces", fields);
  term.pods.by_name_space_labels = !value["namespaceSelector"].absent();
  term.pods.name_space_labels =
      decode_label_selector(fields.object(value, "namespaceSelector"), fields);
  term.match_label_keys = read_label_keys(value, "matchLabelKeys", fields);
  term.mismatch_label_keys = read_label_keys(value, "mismatchLabelKeys", fields);
  for (StrId label : term.mismatch_label_keys) {
    const std::vector<StrId>& matched = term.match_label_keys;
    if (std::find(matched.begin(), matched.end(), label) == matched.end()) continue;
    Value at = value["mismatchLabelKeys"];
    fields.error(at, in_quotes(fields.vocabulary().strings.view(label)) + " in matchLabelKeys too",
                 "a key in one of the two");
  }
  if (!key) return std::nullopt;
  term.key = *key;
  return term;
}

void read_preferred(Value affinity, int32_t sign, PodSpec& pod, FieldReader& fields) {
  for (Value item : fields.list(affinity, kPreferred, kMostPodTerms).items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with weight and podAffinityTerm");
      continue;
    }
    std::optional<int64_t> weight = fields.integer(item, "weight", 1, 100);
    if (item["weight"].absent()) fields.missing(item, "weight", "a whole number from 1 to 100");
    if (item["podAffinityTerm"].absent()) fields.missing(item, "podAffinityTerm", "a term");
    Value term = fields.object(item, "podAffinityTerm");
    if (!weight || term.absent()) continue;
    if (std::optional<PodTerm> read = read_term(term, fields)) {
      pod.preferred_pods.push_back({sign * static_cast<int32_t>(*weight), std::move(*read)});
    }
  }
}

void read_required(Value affinity, std::vector<PodTerm>& terms, FieldReader& fields) {
  for (Value item : fields.list(affinity, kRequired, kMostPodTerms).items()) {
    if (std::optional<PodTerm> term = read_term(item, fields)) terms.push_back(std::move(*term));
  }
}

bool honors(Value constraint, std::string_view key, bool otherwise, FieldReader& fields) {
  std::string_view policy = fields.word(constraint, key, kPolicies);
  return policy.empty() ? otherwise : policy == "Honor";
}

std::optional<SpreadConstraint> read_spread(Value value, FieldReader& fields) {
  std::optional<StrId> key = read_topology_key(value, fields);
  SpreadConstraint constraint;
  if (value["maxSkew"].absent()) fields.missing(value, "maxSkew", "a whole number from 1");
  if (auto skew = fields.integer(value, "maxSkew", 1, INT32_MAX)) {
    constraint.max_skew = static_cast<int32_t>(*skew);
  }
  if (value["whenUnsatisfiable"].absent()) {
    fields.missing(value, "whenUnsatisfiable", "\"DoNotSchedule\" or \"ScheduleAnyway\"");
  }
  std::string_view when = fields.word(value, "whenUnsatisfiable", kWhenUnsatisfiable);
  constraint.required = when != "ScheduleAnyway";
  if (auto domains = fields.integer(value, "minDomains", 1, INT32_MAX)) {
    constraint.min_domains = static_cast<int32_t>(*domains);
    if (!constraint.required) {
      fields.error(value["minDomains"], "minDomains with ScheduleAnyway",
                   "minDomains with DoNotSchedule only");
    }
  }
  constraint.honors_affinity = honors(value, "nodeAffinityPolicy", true, fields);
  constraint.honors_taints = honors(value, "nodeTaintsPolicy", false, fields);
  constraint.pods.nothing = value["labelSelector"].absent();
  constraint.pods.labels = decode_label_selector(fields.object(value, "labelSelector"), fields);
  constraint.match_label_keys = read_label_keys(value, "matchLabelKeys", fields);
  if (!key) return std::nullopt;
  constraint.key = *key;
  return constraint;
}

void read_spread(Value spec, PodSpec& pod, FieldReader& fields) {
  for (Value item : fields.list(spec, "topologySpreadConstraints", kMostPodTerms).items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with topologyKey, maxSkew and labelSelector");
      continue;
    }
    std::optional<SpreadConstraint> constraint = read_spread(item, fields);
    if (!constraint) continue;
    auto same = [&](const SpreadConstraint& other) {
      return other.key == constraint->key && other.required == constraint->required;
    };
    if (std::any_of(pod.spread.begin(), pod.spread.end(), same)) {
      fields.error(item["topologyKey"], describe(item["topologyKey"]) + " a second time",
                   "each key once for each whenUnsatisfiable");
      continue;
    }
    pod.spread.push_back(std::move(*constraint));
  }
}

}  // namespace

void decode_pod_terms(Value spec, PodSpec& pod, FieldReader& fields) {
  Value affinity = fields.object(spec, "affinity");
  Value near = fields.object(affinity, "podAffinity");
  Value apart = fields.object(affinity, "podAntiAffinity");
  read_required(near, pod.pod_affinity, fields);
  read_required(apart, pod.pod_anti_affinity, fields);
  read_preferred(near, 1, pod, fields);
  read_preferred(apart, -1, pod, fields);
  read_spread(spec, pod, fields);
}

}  // namespace trellis
