#include "server/objects/decode_selectors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {
namespace {

constexpr size_t kMostNodeTerms = 1024;  // of a pod, of a kind: each is evaluated per node class

constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule",
                                                      "NoExecute"};
constexpr std::array<std::string_view, 6> kOperators = {"In",           "NotIn", "Exists",
                                                        "DoesNotExist", "Gt",    "Lt"};
constexpr std::array<std::string_view, 4> kPodOperators = {"In", "NotIn", "Exists", "DoesNotExist"};
constexpr std::array<std::string_view, 2> kFieldOperators = {"In", "NotIn"};
constexpr std::array<std::string_view, 2> kTolerationOperators = {"Equal", "Exists"};

// REQUIRES: the enumerators are in the order of the words.
template <class Enum, size_t N>
std::optional<Enum> as_enum(std::string_view word, const std::array<std::string_view, N>& words) {
  auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

std::vector<StrId> read_values(Value expression, FieldReader& fields) {
  std::vector<StrId> values;
  for (Value value : fields.list(expression, "values").items()) {
    if (!value.is(ValueKind::String)) {
      fields.error(value, describe(value), expected_string(value));
      continue;
    }
    values.push_back(fields.intern(value.text()));
  }
  return values;
}

// Checks the number of values against the operator, and the form of each value.
void check_values(Value expression, SelectorOp op, FieldReader& fields) {
  Value values = expression["values"];
  auto complain = [&](std::string expected) {
    if (!values.exists()) {
      fields.missing(expression, "values", std::move(expected));
      return;
    }
    std::string count = values.size() == 0 ? "no" : std::to_string(values.size());
    fields.error(values, count + (values.size() == 1 ? " value" : " values"), std::move(expected));
  };
  if (!values.absent() && !values.is(ValueKind::Array)) return;  // reported already
  switch (op) {
    case SelectorOp::In:
    case SelectorOp::NotIn:
      if (values.size() == 0) complain("at least one value");
      break;
    case SelectorOp::Exists:
    case SelectorOp::DoesNotExist:
      if (values.size() != 0) complain("none with this operator");
      break;
    case SelectorOp::Gt:
    case SelectorOp::Lt:
      // What is no whole number matches nothing (Kubernetes' rule).
      if (values.size() != 1) complain("one whole number, as a string");
      break;
  }
}

std::vector<Requirement> read_requirements(Value term, std::string_view key,
                                           std::span<const std::string_view> operators,
                                           FieldReader& fields) {
  bool of_fields = key == "matchFields";
  std::vector<Requirement> requirements;
  for (Value expression : fields.list(term, key).items()) {
    if (!expression.is(ValueKind::Object)) {
      fields.error(expression, describe(expression), "an object with key, operator and values");
      continue;
    }
    std::string_view label = fields.string(expression, "key");
    if (expression["key"].absent()) fields.missing(expression, "key", "the key of a label");
    if (of_fields && !label.empty() && label != "metadata.name") {
      fields.error(expression["key"], in_quotes(label), "\"metadata.name\"");
    }
    std::string_view word = fields.word(expression, "operator", operators);
    if (expression["operator"].absent()) fields.missing(expression, "operator", "an operator");
    std::optional<SelectorOp> op = as_enum<SelectorOp>(word, kOperators);
    std::vector<StrId> values = read_values(expression, fields);
    if (!op) continue;
    check_values(expression, *op, fields);
    requirements.push_back({fields.intern(label), *op, std::move(values)});
  }
  return requirements;
}

std::optional<TaintEffect> read_effect(Value parent, FieldReader& fields) {
  return as_enum<TaintEffect>(fields.word(parent, "effect", kEffects), kEffects);
}

}  // namespace

std::vector<Taint> decode_taints(Value spec, FieldReader& fields) {
  return decode_taint_list(fields.list(spec, "taints"), fields);
}

std::vector<Taint> decode_taint_list(Value list, FieldReader& fields) {
  std::vector<Taint> taints;
  for (Value item : list.items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with key and effect");
      continue;
    }
    std::string_view key = fields.string(item, "key");
    if (item["key"].absent()) fields.missing(item, "key", "the key of a taint");
    if (item["effect"].absent()) {
      fields.missing(item, "effect", "\"NoSchedule\", \"PreferNoSchedule\" or \"NoExecute\"");
    }
    std::string_view value = fields.string(item, "value");
    std::optional<TaintEffect> effect = read_effect(item, fields);
    if (effect) taints.push_back({fields.intern(key), fields.intern(value), *effect});
  }
  std::sort(taints.begin(), taints.end());
  return taints;
}

std::vector<Toleration> decode_tolerations(Value spec, FieldReader& fields) {
  std::vector<Toleration> tolerations;
  for (Value item : fields.list(spec, "tolerations", kMostNodeTerms).items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with key, operator, value and effect");
      continue;
    }
    Toleration toleration;
    toleration.key = fields.intern(fields.string(item, "key"));
    toleration.value = fields.intern(fields.string(item, "value"));
    std::string_view op = fields.word(item, "operator", kTolerationOperators);
    toleration.op = op == "Exists" ? Toleration::Op::Exists : Toleration::Op::Equal;
    if (toleration.op == Toleration::Op::Exists && toleration.value != StringTable::kEmpty) {
      fields.error(item["value"], describe(item["value"]), "no value with operator Exists");
    }
    if (toleration.op == Toleration::Op::Equal && toleration.key == StringTable::kEmpty) {
      fields.missing(item, "key", "a key, or operator Exists");
    }
    // An effect that is written as "" means every effect, too.
    if (!item["effect"].absent() &&
        !(item["effect"].is(ValueKind::String) && item["effect"].text().empty())) {
      std::optional<TaintEffect> effect = read_effect(item, fields);
      toleration.any_effect = false;
      if (effect) toleration.effect = *effect;
    }
    tolerations.push_back(toleration);
  }
  std::sort(tolerations.begin(), tolerations.end());
  tolerations.erase(std::unique(tolerations.begin(), tolerations.end()), tolerations.end());
  return tolerations;
}

SelectorTerm decode_selector_term(Value term, FieldReader& fields) {
  if (!term.is(ValueKind::Object)) {
    fields.error(term, describe(term), "an object with matchExpressions or matchFields");
    return {};
  }
  return {read_requirements(term, "matchExpressions", kOperators, fields),
          read_requirements(term, "matchFields", kFieldOperators, fields)};
}

std::vector<Requirement> decode_label_selector(Value selector, FieldReader& fields) {
  std::vector<Requirement> requirements =
      read_requirements(selector, "matchExpressions", kPodOperators, fields);
  for (const Label& label : fields.labels(selector, "matchLabels")) {
    requirements.push_back({label.key, SelectorOp::In, {label.value}});
  }
  return requirements;
}

void decode_node_affinity(Value spec, PodSpec& pod, FieldReader& fields) {
  Value affinity = fields.object(fields.object(spec, "affinity"), "nodeAffinity");
  Value required = fields.object(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  if (!required.absent()) {
    pod.has_required_affinity = true;
    if (required["nodeSelectorTerms"].absent()) {
      fields.missing(required, "nodeSelectorTerms", "a list of terms");
    }
    for (Value term : fields.list(required, "nodeSelectorTerms", kMostNodeTerms).items()) {
      pod.required_affinity.push_back(decode_selector_term(term, fields));
    }
  }
  Value preferred =
      fields.list(affinity, "preferredDuringSchedulingIgnoredDuringExecution", kMostNodeTerms);
  for (Value item : preferred.items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with weight and preference");
      continue;
    }
    std::optional<int64_t> weight = fields.integer(item, "weight", 1, 100);
    if (item["weight"].absent()) fields.missing(item, "weight", "a whole number from 1 to 100");
    if (item["preference"].absent()) fields.missing(item, "preference", "a term");
    Value preference = fields.object(item, "preference");
    if (!weight || preference.absent()) continue;
    pod.preferred_affinity.push_back(
        {static_cast<int32_t>(*weight), decode_selector_term(preference, fields)});
  }
}

}  // namespace trellis
