#include "server/grouping/named_groups.h"

namespace trellis {

NamedGroups::NamedGroups(const Records& records, const StringTable& strings) : records_(records) {
  for (const PodGroupRecord& group : records.pod_groups) {
    bool of_job = group.core && !group.core->inner && group.meta.owner.valid() &&
                  strings.view(group.meta.owner.group) == "batch" &&
                  strings.view(group.meta.owner.kind) == "Job";
    if (of_job) copies_.emplace(group.meta.owner, group.meta.key);
    if (!is_copy(group)) continue;
    ObjectKey owner = group.meta.owner;
    owner.name = group.keys.pod_group;
    copies_.emplace(owner, group.meta.key);
  }
}

const ObjectKey* NamedGroups::copy_for(const ObjectKey& gang) const {
  auto found = copies_.find(gang);
  return found == copies_.end() ? nullptr : &found->second;
}

PodGroupRecord* NamedGroups::of_job(const OwnerRecord* owner) {
  if (owner == nullptr || !owner->job || !owner->job->scheduling) return nullptr;
  made_.push_back(std::make_unique<PodGroupRecord>(*owner->job->scheduling));
  made_.back()->meta = owner->meta;
  return made_.back().get();
}

PodGroupRecord* NamedGroups::of_workload(const CoreGroupName& name) {
  if (!name.workload.valid()) return nullptr;
  for (const GroupTemplatesRecord& record : records_.group_templates) {
    const ObjectKey& key = record.meta.key;
    if (key.name != name.workload || key.name_space != name.key.name_space) continue;
    for (const auto& [group, said] : record.groups) {
      if (group != name.group) continue;
      made_.push_back(std::make_unique<PodGroupRecord>(said));
      made_.back()->meta = record.meta;
      made_.back()->meta.key = name.key;
      return made_.back().get();
    }
  }
  return nullptr;
}

}  // namespace trellis
