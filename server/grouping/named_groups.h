// PodGroups that pods lead to without bearing their name: those made for the pods of an owner, and
// those that a Workload of Kubernetes' own describes.
#pragma once

#include <memory>
#include <vector>

#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

class NamedGroups {
 public:
  // `records` must stay as they are while this is in use. O(PodGroups).
  explicit NamedGroups(const Records& records);

  // Made for the pods of the owner that it belongs to.
  static bool is_copy(const PodGroupRecord& group) {
    return group.keys.pod_group.valid() && group.meta.owner.valid();
  }
  // The one made for what these pods are the gang of; null: there is none. Valid as long as this
  // is.
  const ObjectKey* copy_for(const ObjectKey& gang) const;

  // What a Workload says of its group, as a PodGroup of the name's key; null: there is none. Valid
  // as long as this is. O(Workloads), to be asked once a gang.
  PodGroupRecord* of_workload(const CoreGroupName& name);

 private:
  const Records& records_;
  ObjectMap<ObjectKey> copies_;
  std::vector<std::unique_ptr<PodGroupRecord>> made_;
};

}  // namespace trellis
