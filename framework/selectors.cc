#include "framework/selectors.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace trellis {
namespace {

std::optional<int64_t> as_integer(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool compares(const Requirement& requirement, StrId value, const StringTable& strings) {
  if (!value.valid() || requirement.values.size() != 1) return false;
  auto have = as_integer(strings.view(value));
  auto bound = as_integer(strings.view(requirement.values.front()));
  if (!have || !bound) return false;
  return requirement.op == SelectorOp::Gt ? *have > *bound : *have < *bound;
}

}  // namespace

StrId find_label(std::span<const Label> labels, StrId key) {
  auto at = std::lower_bound(labels.begin(), labels.end(), key,
                             [](const Label& label, StrId wanted) { return label.key < wanted; });
  return at != labels.end() && at->key == key ? at->value : StrId();
}

bool matches(const Requirement& requirement, StrId value, const StringTable& strings) {
  auto listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), value) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case SelectorOp::In:
      return value.valid() && listed();
    case SelectorOp::NotIn:
      return !value.valid() || !listed();
    case SelectorOp::Exists:
      return value.valid();
    case SelectorOp::DoesNotExist:
      return !value.valid();
    case SelectorOp::Gt:
    case SelectorOp::Lt:
      return compares(requirement, value, strings);
  }
  return false;
}

bool matches(const SelectorTerm& term, std::span<const Label> labels, std::string_view name,
             const StringTable& strings) {
  if (term.labels.empty() && term.fields.empty()) return false;
  auto label_matches = [&](const Requirement& requirement) {
    return matches(requirement, find_label(labels, requirement.key), strings);
  };
  auto field_matches = [&](const Requirement& requirement) {
    bool listed = std::any_of(requirement.values.begin(), requirement.values.end(),
                              [&](StrId value) { return strings.view(value) == name; });
    return requirement.op == SelectorOp::NotIn ? !listed : listed;
  };
  return std::all_of(term.labels.begin(), term.labels.end(), label_matches) &&
         std::all_of(term.fields.begin(), term.fields.end(), field_matches);
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.any_effect && toleration.effect != taint.effect) return false;
  bool every_key = toleration.key == StringTable::kEmpty;
  if (every_key) return toleration.op == Toleration::Op::Exists;
  if (toleration.key != taint.key) return false;
  return toleration.op == Toleration::Op::Exists || toleration.value == taint.value;
}

const Taint* untolerated(std::span<const Taint> taints, std::span<const Toleration> tolerations) {
  for (const Taint& taint : taints) {
    if (taint.effect == TaintEffect::PreferNoSchedule) continue;
    auto covers = [&](const Toleration& toleration) { return tolerates(toleration, taint); };
    if (std::none_of(tolerations.begin(), tolerations.end(), covers)) return &taint;
  }
  return nullptr;
}

}  // namespace trellis
