// Which objects a workload is of: those that its own object names, or those that it was made of.
//
// A workload without an object is found among the objects that ask for one
// (manifest/owner_kinds.h), by the name that Kueue gives it. Cost: of a look O(objects of those
// kinds) where some such workload is not known yet, and the text of each that changed and asks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/kube/watch/live_objects.h"
#include "server/manifest/manifest.h"
#include "server/objects/owner_kinds.h"
#include "session/cluster/cluster.h"

namespace trellis {

class WorkloadOwners {
 public:
  // In order of their names.
  std::vector<WorkloadOwnership> of(const Cluster& cluster, WorkloadId id,
                                    const LiveObjects& objects);
  // Owners may have come: they are read again once, where some workload asks for it.
  void look_again() { is_fresh_ = false; }

 private:
  struct Owner {
    std::shared_ptr<const std::string> text;
    std::string name_space;
    std::string name;
    std::vector<std::string> workloads;  // none: it asks for none
  };
  using Owners = std::map<std::string, Owner>;  // of one kind, "NAMESPACE/NAME"
  void read_owners(const LiveObjects& objects);
  void read_kind(const OwnerKind& kind, const LiveObjects& objects);
  static Owner read_owner(const OwnerKind& kind, const std::shared_ptr<const std::string>& text);

  bool is_fresh_ = false;
  std::map<const OwnerKind*, Owners> owners_;
  std::map<std::string, WorkloadOwnership> by_workload_;  // "NAMESPACE/WORKLOAD"
};

}  // namespace trellis
