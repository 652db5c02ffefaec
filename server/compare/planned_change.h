// A change of the cluster that a planner asks about, carried out on its objects.
//
// Words: a node that is *cordoned* takes no more pods; one that is *drained* is cordoned, and its
// pods wait again under their own names, as their controllers would replace them. Pods of
// DaemonSets stay. A place is a node, or the nodes of a domain (`hall/b1/r3`).
// Cost: O(objects) for each name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/string_table.h"
#include "session/cluster/objects.h"

namespace trellis {

// Nodes that are equal to one that is there, without its pods; DaemonSets run on them, too.
struct AddedNodes {
  int64_t count = 0;
  std::string like;  // a node
  // TOPOLOGY/PATH; "": where `like` is. A domain that does not exist is made. Of the levels below
  // it, the new nodes have the values of `like` if that is in the domain, else the value "new".
  std::string domain;
};

struct PlannedChange {
  // gang/NAMESPACE/NAME, workload/NAMESPACE/NAME or KIND/NAMESPACE/NAME with the kind of an owner
  // in lower case; the namespace may be left out.
  std::vector<std::string> removed;
  std::vector<std::string> cordoned;  // places
  std::vector<std::string> drained;   // places
  std::optional<AddedNodes> added;

  bool empty() const { return removed.empty() && cordoned.empty() && drained.empty() && !added; }
};

// "", or an error: no object has such a name, with the nearest ones. The objects are then changed
// in part.
std::string apply(const PlannedChange& change, Objects& objects, StringTable& strings);

// Whether a drain makes the pod wait again.
bool leaves_drained_node(const Pod& pod);
// The pod waits as its controller would make it again.
void put_back(Pod& pod);

}  // namespace trellis
