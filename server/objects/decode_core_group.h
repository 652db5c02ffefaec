// The gangs of Kubernetes itself: scheduling.k8s.io. From v1alpha2 on (Kubernetes 1.36; 1.37 has
// v1beta1 and v1alpha3) a pod names a PodGroup, which has its own copy of what a Workload
// specifies. In v1alpha1 a pod names a group of a Workload, and perhaps, by a key, one of several
// equal copies of that group.
#pragma once

#include <memory>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// The caller sets meta.
PodGroupRecord decode_core_pod_group(Value object, FieldReader& fields);
GroupTemplatesRecord decode_group_templates(Value object, FieldReader& fields);

// The PodGroup, or the group of a Workload, that a pod names; null: the pod names none.
std::shared_ptr<const CoreGroupName> decode_core_group(Value metadata, Value spec,
                                                       FieldReader& fields);

}  // namespace trellis
