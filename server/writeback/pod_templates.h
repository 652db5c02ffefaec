// The pod templates and suspend fields of the kinds that make pods.
#pragma once

#include <string>
#include <vector>

#include "framework/flavor.h"
#include "framework/string_table.h"
#include "server/document/json_objects.h"

namespace trellis {

struct RoleTemplate {
  std::string pod_set;
  Json* pod_template = nullptr;
};

// The templates of an owner by the names of its PodSets, as far as they are written. Valid until
// keys of the owner change.
std::vector<RoleTemplate> pod_templates(Json& owner);

// The object whose `suspend` holds the owner back; null: its kind has no such field.
Json* suspended_by(Json& owner);
bool is_suspended(const Json& owner);

// The changes that a workload's start makes to its pods and templates, and their undoing.

inline constexpr const char* kTopologyGate = "kueue.x-k8s.io/topology";
inline constexpr const char* kAdmissionGate = "kueue.x-k8s.io/admission";
// Annotations, and a label.
inline constexpr const char* kWorkloadKey = "kueue.x-k8s.io/workload";
inline constexpr const char* kUnconstrainedKey = "kueue.x-k8s.io/podset-unconstrained-topology";
inline constexpr const char* kPodSetKey = "kueue.x-k8s.io/podset";

// A gate is added once, however often this is called. `spec`: of a pod.
void add_gate(Json& spec, const char* gate);
void remove_gate(Json& spec, const char* gate);
bool bears_gate(const Json& spec);

// Adds the flavor's node labels and tolerations; the pod's own values stay.
void add_flavor(Json& spec, const Flavor& flavor, const StringTable& strings);

// Whether a start has changed the template.
bool bears_start(const Json& pod_template);

// Sets what a start changes back to what `original` has. A pod keeps the name of its workload,
// which may be recorded nowhere else.
void restore_template(Json& pod_template, const Json& original);
void restore_pod(Json& pod, const Json& original);

// Labels, annotations and spec of a pod, without its node and Kueue's gates.
Json template_of_pod(const Json& pod);

}  // namespace trellis
