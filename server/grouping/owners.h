// The owners of a pod: owner references are followed as far as the input holds the objects. Of the
// kinds on the way, the nearest that divides its pods into gangs does so; else the pods of the top
// owner are one gang.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "server/document/report.h"
#include "server/objects/object_key.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/records.h"

namespace trellis {

struct Vocabulary;

// The owners above a pod, or above a PodGroup.
struct OwnerChain {
  std::vector<OwnerRecord*> objects;       // those that the input holds, nearest first
  ObjectKey top;                           // the last one named; not valid: no owner
  Grouping grouping = Grouping::Together;  // of the pods; never EachBelow
  ObjectKey gang;                          // whose pods are a gang, or several
  OwnerRecord* of_gang = nullptr;          // its record; null: the input does not hold it
  std::string_view group_label;            // EachGroup: the pods' label
  std::string_view priority_class;         // of the nearest kind that has a priority class
};

class Owners {
 public:
  // `records` must not change while this is in use, except for OwnerRecord::used.
  Owners(Records& records, Vocabulary& vocabulary, Report& report);

  // The chain that begins with `owner`, which may be not valid. The chain is valid as long as this
  // object is. A chain that comes back to itself is reported at `pos` and counts as no owner.
  const OwnerChain& chain(const ObjectKey& owner, SourcePos pos);

  // The priority class that KAI gives a pod below such owners; "": none.
  std::string_view priority_class(const OwnerChain& chain, const Labels& pod_labels) const;

 private:
  OwnerChain follow(const ObjectKey& owner, SourcePos pos);
  const PodRecord* find_pod(const ObjectKey& key);

  Records& records_;
  Vocabulary& vocabulary_;
  Report& report_;
  ObjectMap<OwnerRecord*> objects_;
  ObjectMap<const PodRecord*> pods_;  // empty until the first one is looked up
  std::deque<OwnerChain> chains_;
  ObjectMap<const OwnerChain*> known_;  // by the first owner
  OwnerChain none_;
};

// Calls `use` with each owner, nearest first, until it returns true.
template <class Use>
void climb(Owners& owners, const Meta& meta, Use use) {
  const OwnerChain& chain = owners.chain(meta.owner, meta.pos);
  if (!meta.owner.valid() || use(meta.owner)) return;
  for (const OwnerRecord* owner : chain.objects) {
    if (use(owner->meta.key)) return;
  }
  if (chain.top.valid()) use(chain.top);
}

}  // namespace trellis
