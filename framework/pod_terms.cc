#include "framework/pod_terms.h"

#include <algorithm>

namespace trellis {
namespace {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

void add_own_values(std::vector<StrId>& keys, SelectorOp op, std::span<const Label> labels,
                    std::vector<Requirement>& requirements) {
  for (StrId key : keys) {
    StrId value = find_label(labels, key);
    if (value.valid()) requirements.push_back({key, op, {value}});
  }
  keys.clear();
}

void bring_in_order(PodSelector& selector) {
  for (Requirement& requirement : selector.labels) sort_unique(requirement.values);
  for (Requirement& requirement : selector.name_space_labels) sort_unique(requirement.values);
  sort_unique(selector.labels);
  sort_unique(selector.name_space_labels);
  sort_unique(selector.name_spaces);
}

}  // namespace

void settle(PodTerm& term, StrId name_space, std::span<const Label> labels) {
  add_own_values(term.match_label_keys, SelectorOp::In, labels, term.pods.labels);
  add_own_values(term.mismatch_label_keys, SelectorOp::NotIn, labels, term.pods.labels);
  if (term.pods.name_spaces.empty() && !term.pods.by_name_space_labels) {
    term.pods.name_spaces.push_back(name_space);
  }
  bring_in_order(term.pods);
}

void settle(SpreadConstraint& constraint, StrId name_space, std::span<const Label> labels) {
  add_own_values(constraint.match_label_keys, SelectorOp::In, labels, constraint.pods.labels);
  constraint.counts_nothing = !constraint.pods.nothing && constraint.pods.labels.empty();
  constraint.pods.name_spaces = {name_space};
  bring_in_order(constraint.pods);
}

bool meets(std::span<const Requirement> requirements, std::span<const Label> labels,
           const StringTable& strings) {
  return std::all_of(requirements.begin(), requirements.end(), [&](const Requirement& item) {
    return matches(item, find_label(labels, item.key), strings);
  });
}

bool selects(const PodSelector& selector, StrId name_space,
             std::span<const Label> name_space_labels, std::span<const Label> labels,
             const StringTable& strings) {
  if (selector.nothing || !meets(selector.labels, labels, strings)) return false;
  if (std::binary_search(selector.name_spaces.begin(), selector.name_spaces.end(), name_space)) {
    return true;
  }
  return selector.by_name_space_labels &&
         meets(selector.name_space_labels, name_space_labels, strings);
}

}  // namespace trellis
