#include "plugins/quota/flavor_choice.h"

#include <algorithm>

namespace trellis {
namespace {

bool is_tolerated(const Taint& taint, std::span<const Toleration> tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

bool is_key(std::span<const StrId> keys, StrId key) {
  return std::binary_search(keys.begin(), keys.end(), key);
}

// Terms are alternatives; a term without any of the keys suits every flavor.
bool affinity_suits(const Flavor& flavor, const PodSpec& spec, std::span<const StrId> keys,
                    const StringTable& strings) {
  bool suits = spec.required_affinity.empty();
  for (const SelectorTerm& term : spec.required_affinity) {
    bool about_keys = false;
    bool holds = true;
    for (const Requirement& requirement : term.labels) {
      if (!is_key(keys, requirement.key)) continue;
      about_keys = true;
      StrId value = find_label(flavor.node_labels, requirement.key);
      holds = holds && matches(requirement, value, strings);
    }
    if (!about_keys) return true;
    suits = suits || holds;
  }
  return suits;
}

}  // namespace

const Taint* taint_against(const Flavor& flavor, const PodSpec& spec) {
  for (const Taint& taint : flavor.taints) {
    if (taint.effect == TaintEffect::PreferNoSchedule) continue;
    if (is_tolerated(taint, spec.tolerations) || is_tolerated(taint, flavor.tolerations)) continue;
    return &taint;
  }
  return nullptr;
}

bool labels_suit(const Flavor& flavor, const PodSpec& spec, std::span<const StrId> keys,
                 const StringTable& strings) {
  for (const Label& wanted : spec.node_selector) {
    if (is_key(keys, wanted.key) && find_label(flavor.node_labels, wanted.key) != wanted.value) {
      return false;
    }
  }
  return affinity_suits(flavor, spec, keys, strings);
}

namespace {

int smaller_first(int a, int b) { return static_cast<int>(a > b) - static_cast<int>(a < b); }

}  // namespace

int compare(const FlavorGrade& a, const FlavorGrade& b, const FlavorFungibility& fungibility) {
  if (a.mode == b.mode && a.mode == FlavorMode::NoFit) return 0;
  int by_mode = smaller_first(static_cast<int>(b.mode), static_cast<int>(a.mode));
  // What cannot be had in this cycle is worse than anything that can.
  bool hopeless = a.mode <= FlavorMode::NoCandidates || b.mode <= FlavorMode::NoCandidates;
  if (hopeless && by_mode != 0) return by_mode;
  int by_borrowing = smaller_first(a.borrowing, b.borrowing);
  bool borrowing_first = fungibility.prefers_preemption;
  int major = borrowing_first ? by_borrowing : by_mode;
  int minor = borrowing_first ? by_mode : by_borrowing;
  return major != 0 ? major : minor;
}

bool ends_search(const FlavorGrade& grade, const FlavorFungibility& fungibility) {
  bool may_borrow = grade.borrowing == 0 || fungibility.borrow_before_next;
  switch (grade.mode) {
    case FlavorMode::NoFit:
    case FlavorMode::NoCandidates:
      return false;
    case FlavorMode::Preempt:
    case FlavorMode::Reclaim:
      return fungibility.preempt_before_next && may_borrow;
    case FlavorMode::Fit:
      return may_borrow;
  }
  return false;
}

}  // namespace trellis
