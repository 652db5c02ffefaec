// Resources that devices stand for: extended resources of pods that devices serve, and GPUs of
// claims, which count as others do.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// A pod that requests a resource for which a DeviceClass stands gets what it requests container by
// container (PodDevices::extended), and a node that has none of the resource gets a bound of it
// (Node::by_devices). A claim for whole GPUs makes the first of its pods, by name, request as many.
// Pods that name MIG slices by annotation are linked, too (link_mig_annotations.h). REQUIRES:
// claims are linked. Cost: O(pods + nodes + devices); nothing without classes.
void link_devices(Records& records, FieldReader& fields);

}  // namespace trellis
