// ProvisioningRequests for gangs that wait for nodes: a cluster autoscaler adds nodes for all pods
// of such a request, or for none, where it would take pods with the reason Unschedulable one by
// one.
//
// There is a request for the first gang of each queue that waits for a reason that more nodes could
// end, has done so for `after`, and has several waiting pods; a gang whose request has failed
// passes its turn. A request has a PodSet and a PodTemplate for each class of these pods. It bears
// the gang's name, and a hash of what is asked for: what differs is another request.
//
// Guarantees: a gang's request is made once, whichever process looks; it is deleted, with its
// PodTemplates, once the gang no longer waits or is gone, asks for something else, or the
// autoscaler no longer keeps the room. All belong to the owner of the gang's pods, and go with it.
// Cost: O(pods), and for each request that is made or deleted the texts of some objects.
#pragma once

#include <string>
#include <vector>

#include "framework/config.h"
#include "framework/time.h"
#include "server/kube/client/api_request.h"
#include "server/kube/watch/live_objects.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

inline constexpr size_t kMostPodSets = 32;  // of a ProvisioningRequest

struct NodeRequestView {
  const Cluster& cluster;
  const CycleRecord& record;  // of the last cycle
  const LiveObjects& objects;
  TimeUs now = 0;
};

// Whether the gang has so many waiting pods that a request is made for them. O(pods of the gang).
bool may_have_node_request(const Cluster& cluster, const CycleRecord& record, GangId gang);

// All that has to be written now: what is deleted, then what is made, by gang.
std::vector<ApiRequest> node_request_writes(const NodeRequestView& view,
                                            const NodeRequests& settings);

// `name` itself, or the autoscaler's own class of this name.
std::string full_class_name(const std::string& name);

}  // namespace trellis
