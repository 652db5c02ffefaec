// What a PodSet asks of the topology: as the object of a Workload, or as annotations of a pod
// template; both held to Kueue's rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/workload.h"
#include "server/document/field_reader.h"

namespace trellis {

// Where the parts of a request stand, while its document is there.
struct RequestPlaces {
  Value required;
  Value preferred;
  Value unconstrained;
  Value group;
  Value slice_topology;
  Value slice_size;
  Value layers;
};

struct PlacedRequest {
  TopologyRequest request;
  RequestPlaces at;
};

struct RequestBounds {
  int32_t pods = 1;             // of the PodSet
  int32_t pods_of_a_slice = 0;  // where none is written; 0: it must be written
};

// spec.podSets[].topologyRequest.
PlacedRequest decode_topology_request(Value request, const RequestBounds& bounds,
                                      FieldReader& fields);

struct TopologyAnnotations {
  Value of_pods;
  Value of_owner;  // the proposal's keys were read there, too
};

PlacedRequest decode_topology_annotations(const TopologyAnnotations& annotations,
                                          const RequestBounds& bounds, FieldReader& fields);

// Whether annotations ask for balance; others than "true" and "false" are errors.
bool decode_balance(Value annotations, FieldReader& fields);

// The index of the first pod, where it is not 0 (kueue.x-k8s.io/pod-index-offset).
int32_t decode_index_offset(Value annotations, FieldReader& fields);

// PodSets that share a group, one request each; `pods` are their counts.
void check_request_groups(const std::vector<PlacedRequest>& requests,
                          const std::vector<PodSet>& pod_sets, FieldReader& fields);

}  // namespace trellis
