// PodGroups that pods belong to without naming them: those made for the pods of an owner, and
// those that a Workload of Kubernetes' own describes.
#pragma once

#include <memory>
#include <vector>

#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

class NamedGroups {
 public:
  // `records` must not change while this is in use. O(PodGroups).
  NamedGroups(const Records& records, const StringTable& strings);

  // Whether the group was made for the pods of its owner.
  static bool is_copy(const PodGroupRecord& group) {
    return group.keys.pod_group.valid() && group.meta.owner.valid();
  }
  // The PodGroup made for the pods that are the gang of this object, also one that the controller
  // of a Job made; null: no PodGroup was. Valid as long as this object is.
  const ObjectKey* copy_for(const ObjectKey& gang) const;

  // The group that a Workload describes, as a PodGroup with the name's key; null: no Workload
  // describes it. Valid as long as this object is. O(Workloads), to be called once a gang.
  PodGroupRecord* of_workload(const CoreGroupName& name);

  // The spec.scheduling of the Job whose pods are a gang, as a PodGroup with the Job's key; null:
  // its owner is no Job, or has none. Valid as long as this object is. To be called once a gang.
  PodGroupRecord* of_job(const OwnerRecord* owner);

 private:
  const Records& records_;
  ObjectMap<ObjectKey> copies_;
  std::vector<std::unique_ptr<PodGroupRecord>> made_;
};

}  // namespace trellis
