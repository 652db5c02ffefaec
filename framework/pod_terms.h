// Terms of a pod about other pods: affinity, anti-affinity and topology spread, as Kubernetes
// defines them, over interned strings.
//
// Words: a term selects pods (a PodSelector) on the nodes that share a value of one label (the
// term's key) with the node that a pod is put on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/selectors.h"

namespace trellis {

// Pods of some namespaces whose labels meet all requirements.
struct PodSelector {
  bool nothing = false;             // no labelSelector was given: it selects no pod
  std::vector<Requirement> labels;  // empty: whatever their labels
  std::vector<StrId> name_spaces;   // by name; sorted
  bool by_name_space_labels = false;
  std::vector<Requirement> name_space_labels;  // with by_name_space_labels; empty: every namespace
  auto operator<=>(const PodSelector&) const = default;
};

struct PodTerm {
  PodSelector pods;  // no namespaces at all: the pod's own
  StrId key;
  std::vector<StrId> match_label_keys;     // the pod's own values are required as well
  std::vector<StrId> mismatch_label_keys;  // the pod's own values are excluded
  PodSelectorId selector;                  // set by the cluster
  auto operator<=>(const PodTerm&) const = default;
};

struct WeightedPodTerm {
  int32_t weight = 1;  // 1..100; negative for anti-affinity
  PodTerm term;
  auto operator<=>(const WeightedPodTerm&) const = default;
};

struct SpreadConstraint {
  PodSelector pods;  // in the pod's own namespace
  StrId key;
  int32_t max_skew = 1;
  int32_t min_domains = 1;
  bool required = true;         // DoNotSchedule; else ScheduleAnyway
  bool honors_affinity = true;  // nodes that the pod's node affinity rules out do not count
  bool honors_taints = false;   // nodes whose taints it does not tolerate do not count
  bool counts_nothing = false;  // an empty selector: Kubernetes counts no pod by it
  std::vector<StrId> match_label_keys;
  PodSelectorId selector;  // set by the cluster
  auto operator<=>(const SpreadConstraint&) const = default;
};

// Completes a term of a pod with these labels: adds the requirements of the term's label keys,
// fills in the pod's own namespace, and brings the requirements into one order. Idempotent.
void settle(PodTerm& term, StrId name_space, std::span<const Label> labels);
void settle(SpreadConstraint& constraint, StrId name_space, std::span<const Label> labels);

// Whether labels meet the requirements of a label selector.
bool meets(std::span<const Requirement> requirements, std::span<const Label> labels,
           const StringTable& strings);

// `name_space_labels` are those of the pod's namespace.
bool selects(const PodSelector& selector, StrId name_space,
             std::span<const Label> name_space_labels, std::span<const Label> labels,
             const StringTable& strings);

}  // namespace trellis
