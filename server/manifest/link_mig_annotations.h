// Pods that name MIG slices by annotation and do not request them ("nvidia.com/mig-1g.10gb": "1"):
// KAI's legacy MIG pods.
//
// Such a pod waits for ever, as nothing would give it a slice. One that runs has some slice of its
// node, and nothing says which: it takes all of them, so that no other pod gets the same.
#pragma once

#include "framework/resources.h"
#include "server/objects/records.h"

namespace trellis {

// Cost: O(pods), and O(nodes) where there is such a pod.
void link_mig_annotations(Records& records, const ResourceTable& resources);

}  // namespace trellis
