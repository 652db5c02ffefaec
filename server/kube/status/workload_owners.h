// The owners of a workload: the objects that its Workload object names, or that it is made for.
//
// For a workload without an object they are found among the objects that request one
// (server/objects/owner_kinds.h), by the name that Kueue gives the workload. Cost of a look:
// O(objects of those kinds) where such a workload is not known yet, and the text of each object
// that changed and requests a workload.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/kube/watch/live_objects.h"
#include "server/manifest/manifest.h"
#include "server/objects/owner_kinds.h"
#include "server/text/stored_text.h"
#include "session/cluster/cluster.h"

namespace trellis {

class WorkloadOwners {
 public:
  // Owners that the Workload object names are in its order, pods in the order of their names.
  std::vector<WorkloadOwnership> of(const Cluster& cluster, WorkloadId id,
                                    const LiveObjects& objects);
  // Owners may have been added: they are read again once, when a workload needs an unknown one.
  void look_again() { is_fresh_ = false; }

 private:
  struct Owner {
    StoredText text;
    std::string name_space;
    std::string name;
    std::vector<std::string> workloads;  // empty: the owner requests none
  };
  using Owners = std::map<std::string, Owner>;  // of one kind, by "NAMESPACE/NAME"
  void read_owners(const LiveObjects& objects);
  void read_kind(const OwnerKind& kind, const LiveObjects& objects);
  static Owner read_owner(const OwnerKind& kind, const StoredText& text);

  bool is_fresh_ = false;
  std::map<const OwnerKind*, Owners> owners_;
  std::map<std::string, WorkloadOwnership> by_workload_;  // by "NAMESPACE/WORKLOAD"
};

}  // namespace trellis
