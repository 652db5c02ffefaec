// The topology request of a PodSet: an object in a Workload, or annotations of a pod template.
// Kueue's rules are checked for both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/workload.h"
#include "server/document/field_reader.h"

namespace trellis {

// The location of each part of a request, valid as long as its document.
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
  int32_t pods_of_a_slice = 0;  // the default of the slice size; 0: it has no default
};

// spec.podSets[].topologyRequest.
PlacedRequest decode_topology_request(Value request, const RequestBounds& bounds,
                                      FieldReader& fields);

struct TopologyAnnotations {
  Value of_pods;
  Value of_owner;  // the keys of the proposal are read there, too
};

PlacedRequest decode_topology_annotations(const TopologyAnnotations& annotations,
                                          const RequestBounds& bounds, FieldReader& fields);

// Whether the annotations request balance; values other than "true" and "false" are errors.
bool decode_balance(Value annotations, FieldReader& fields);

// The index of the first pod (kueue.x-k8s.io/pod-index-offset); 0 when the annotation is absent.
int32_t decode_index_offset(Value annotations, FieldReader& fields);

// Checks the requests of PodSets that share a group; `requests` has one for each of `pod_sets`.
void check_request_groups(const std::vector<PlacedRequest>& requests,
                          const std::vector<PodSet>& pod_sets, FieldReader& fields);

}  // namespace trellis
