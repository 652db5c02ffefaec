// Groups of groups of Kubernetes' own: the CompositePodGroups above PodGroups, each tree of them as
// one gang with subgroups.
//
// The gang is the topmost group that the input holds. Its leaves are PodGroups, named like these;
// an inner subgroup is named like its CompositePodGroup, or `compositepodgroup.NAME` where a leaf
// has the name. Children are in order of name. Errors: a parent that the input does not hold, and
// groups that are below themselves; the gang then waits. Cost: O(groups log groups).
#pragma once

#include <memory>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

class CoreTrees {
 public:
  // `records` must not change while this is in use. Reports what is wrong with the trees.
  CoreTrees(const Records& records, FieldReader& fields);

  // The PodGroup or CompositePodGroup whose tree holds the object of this key, and which is the
  // gang; null: the key is of no tree. Valid as long as this object is.
  const ObjectKey* gang_of(const ObjectKey& group) const;

  // The gangs with their subgroups: every CompositePodGroup that has no other above it, and every
  // PodGroup whose parent is missing. Valid as long as this object is.
  const std::vector<std::unique_ptr<PodGroupRecord>>& gangs() const { return gangs_; }

 private:
  struct Node {
    const PodGroupRecord* record = nullptr;
    Node* parent = nullptr;
    std::vector<Node*> children;  // by name
    const Node* walk = nullptr;   // the start of the walk upwards that reached it first
    bool lost = false;            // its parent is missing, or below it
  };

  void find_parents();
  void open_circles();
  void make_gang(const Node& root);
  void add_subgroups(const Node& root, PodGroupRecord& gang);
  StrId name_of(const Node& node, const Node& root);

  FieldReader& fields_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by namespace and name
  ObjectMap<Node*> by_key_;
  ObjectMap<ObjectKey> gang_of_;
  std::vector<std::unique_ptr<PodGroupRecord>> gangs_;
};

}  // namespace trellis
