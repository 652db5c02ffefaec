#include "devices/model.h"

#include <algorithm>
#include <charconv>

namespace trellis::devices {
namespace {

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `value`: null when there is no such label.
bool holds(const NodeRequirement& requirement, const std::string* value) {
  auto listed = [&] {
    return value != nullptr && std::find(requirement.values.begin(), requirement.values.end(),
                                         *value) != requirement.values.end();
  };
  switch (requirement.op) {
    case SelectorOperator::In:
      return listed();
    case SelectorOperator::NotIn:
      return !listed();
    case SelectorOperator::Exists:
      return value != nullptr;
    case SelectorOperator::DoesNotExist:
      return value == nullptr;
    default:
      break;
  }
  if (value == nullptr || requirement.values.size() != 1) return false;
  std::optional<int64_t> has = whole_number(*value);
  std::optional<int64_t> bound = whole_number(requirement.values[0]);
  if (!has || !bound) return false;
  return requirement.op == SelectorOperator::Gt ? *has > *bound : *has < *bound;
}

const std::string* label_of(const NodeView& node, const std::string& key) {
  for (const auto& [name, value] : node.labels) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace

bool matches(const NodeTerm& term, const NodeView& node) {
  if (term.labels.empty() && term.names.empty()) return false;
  return std::all_of(term.labels.begin(), term.labels.end(),
                     [&](const NodeRequirement& requirement) {
                       return holds(requirement, label_of(node, requirement.key));
                     }) &&
         std::all_of(term.names.begin(), term.names.end(), [&](const NodeRequirement& requirement) {
           return requirement.key == "metadata.name" && holds(requirement, &node.name);
         });
}

bool reaches(const Reach& reach, const NodeView& node) {
  switch (reach.form) {
    case Reach::Form::OneNode:
      return reach.node == node.name;
    case Reach::Form::AllNodes:
      return true;
    case Reach::Form::Selector:
      return std::any_of(reach.terms.begin(), reach.terms.end(),
                         [&](const NodeTerm& term) { return matches(term, node); });
    default:
      return false;
  }
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& toleration) {
    if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    if (toleration.op == "Exists") return true;
    return !toleration.key.empty() && toleration.value == taint.value;
  });
}

}  // namespace trellis::devices
