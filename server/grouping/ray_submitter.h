// What submits a RayJob to its cluster, as KubeRay makes it: the pod of a Job, or a container
// beside the head.
#pragma once

#include <memory>

#include "server/document/document.h"
#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/records.h"

namespace trellis {

// Null: the RayJob with this spec is submitted without a Job (its submissionMode is not
// K8sJobMode).
std::shared_ptr<const JobRecord> read_ray_submitter(Value spec, PodDecoder& pods,
                                                    FieldReader& fields, bool keep_raw);

// The template of the head of a RayJob with this spec.
std::shared_ptr<const PodTemplateRecord> read_ray_job_head(Value spec, PodDecoder& pods,
                                                           bool keep_raw);

}  // namespace trellis
