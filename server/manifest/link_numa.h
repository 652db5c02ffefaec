// Assigns zones to their nodes once all objects are read.
#pragma once

#include "framework/vocabulary.h"
#include "server/objects/records.h"
#include "session/cluster/objects.h"

namespace trellis {

// Gives each node the zones of the NodeResourceTopology object that has its name, and marks zones
// that are out of date: the fingerprint is not that of the node's pods, or, where there is none,
// the node's kubelet refused a pod.
void link_numa(Records& records, const Vocabulary& vocabulary);

// Removes container demands: without zones no plugin reads them, and pods that differ in nothing
// else are equal. Pods that must share a zone keep their demand, and wait.
void forget_demands(Objects& objects);
// Removes the zones of all nodes, and all container demands.
void forget_zones(Objects& objects);

}  // namespace trellis
