// Taints, tolerations and node affinity, checked as the API server checks them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "framework/pod.h"
#include "framework/selectors.h"
#include "server/document/field_reader.h"

namespace trellis {

inline constexpr std::array<std::string_view, 2> kSelectorKeys = {"matchLabels",
                                                                  "matchExpressions"};

std::vector<Taint> decode_taints(Value spec, FieldReader& fields);
std::vector<Taint> decode_taint_list(Value list, FieldReader& fields);
std::vector<Toleration> decode_tolerations(Value spec, FieldReader& fields);

// A nodeSelectorTerm or a preference: matchExpressions and matchFields.
SelectorTerm decode_selector_term(Value term, FieldReader& fields);

// A labelSelector of pods or namespaces: matchLabels and matchExpressions as one list.
std::vector<Requirement> decode_label_selector(Value selector, FieldReader& fields);

// spec.affinity.nodeAffinity into the pod's required and preferred terms.
void decode_node_affinity(Value spec, PodSpec& pod, FieldReader& fields);

}  // namespace trellis
