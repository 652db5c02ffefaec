// Gangs as Kubernetes itself knows them: scheduling.k8s.io. From v1alpha2 on (Kubernetes 1.36; 1.37
// has v1beta1 and v1alpha3) a pod names a PodGroup, which has its own copy of what a Workload said;
// in v1alpha1 it names a group of a Workload, perhaps one of several equal ones by a key.
#pragma once

#include <memory>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Meta is left to the caller.
PodGroupRecord decode_core_pod_group(Value object, FieldReader& fields);
GroupTemplatesRecord decode_group_templates(Value object, FieldReader& fields);

// What a pod names; null: nothing.
std::shared_ptr<const CoreGroupName> decode_core_group(Value metadata, Value spec,
                                                       FieldReader& fields);

}  // namespace trellis
