// Objects that a question adds to a finished cycle.
//
// Pods, PodGroups and Jobs depend on queues, topologies and classes, and on nothing else in the
// cluster unless they refer to it or share a name with it. They are read with the former alone. All
// else has to be read with the whole cluster.
// Cost: O(bytes of the texts), a pass over the gangs and workloads, and a look-up for each object.
#pragma once

#include <string>
#include <string_view>

#include "server/compare/cycle_copy.h"
#include "server/manifest/reading_settings.h"

namespace trellis {

struct AddedObjects {
  std::string_view text;     // the objects
  std::string far_reaching;  // objects of the cluster (server/sources/far_reaching_text.h)
  ReadingSettings settings;  // with which the cluster was read
};

// True: the copy has the objects. False: they have errors, or have to be read with the whole
// cluster; nothing has changed but vocabulary().
bool add_objects(const AddedObjects& added, CycleCopy& copy);

}  // namespace trellis
