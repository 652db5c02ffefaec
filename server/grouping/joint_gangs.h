// Gangs of several owners: the pods of a namespace that name the same gang in the key
// `trellis.scheduler/gang`, themselves or through an owner or a template.
//
// Words: a part is the pods that would be a gang by themselves. The gang needs what its parts need
// together; a part counts from its first pod on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "server/grouping/owner_gangs.h"
#include "server/grouping/owners.h"
#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

class JointGangs {
 public:
  // The name of the gang that the pod is to join; kNone: none. The top owner's word counts first.
  static StrId name_of(const OwnerChain& chain, const PodRecord& pod) {
    StrId name;
    for (size_t i = chain.objects.size(); !name.valid() && i-- > 0;) {
      name = chain.objects[i]->keys.gang;
    }
    for (size_t i = chain.objects.size(); !name.valid() && i-- > 0;) {
      name = chain.objects[i]->of_template.gang;
    }
    return name.valid() ? name : pod.keys.gang;
  }

  // The pod joins the gang `joint`; alone its gang would be `own`.
  void add(const ObjectKey& joint, const ObjectKey& own, const OwnerChain& chain, PodRecord& pod) {
    Gang& gang = gangs_[joint];
    auto [known, added] = gang.index.emplace(own, gang.parts.size());
    if (added) gang.parts.push_back({&chain, {}});
    gang.parts[known->second].pods.push_back(&pod);
  }

  bool contains(const ObjectKey& joint) const { return gangs_.contains(joint); }

  // The owners' chains, in the order in which the parts were met, each once.
  std::vector<const OwnerChain*> chains(const ObjectKey& joint) const {
    std::vector<const OwnerChain*> found;
    for (const Part& part : gangs_.at(joint).parts) {
      bool known = !found.empty() && found.back() == part.chain;
      if (!known) found.push_back(part.chain);
    }
    return found;
  }

  // What the parts need together; without the roles of the owners.
  OwnerGang make(OwnerGangs& gangs, const ObjectKey& joint) const {
    int64_t least = 0;
    for (const Part& part : gangs_.at(joint).parts) {
      least += gangs.make(*part.chain, part.pods).min_member;
      for (PodRecord* pod : part.pods) pod->object.pod.subgroup = StrId();
    }
    OwnerGang made;
    made.min_member = static_cast<int32_t>(std::min<int64_t>(least, INT32_MAX));
    return made;
  }

 private:
  struct Part {
    const OwnerChain* chain = nullptr;
    std::vector<PodRecord*> pods;
  };
  struct Gang {
    std::vector<Part> parts;
    ObjectMap<size_t> index;  // by the gang that the part would be; never iterated
  };
  ObjectMap<Gang> gangs_;  // never iterated
};

}  // namespace trellis
