#include "plugins/quota/flavor_match.h"

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

}  // namespace trellis
