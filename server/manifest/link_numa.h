// Zones find their nodes once all is read.
#pragma once

#include "framework/config.h"
#include "framework/vocabulary.h"
#include "server/objects/records.h"
#include "session/cluster/objects.h"

namespace trellis {

// Gives each node the zones of the NodeResourceTopology object that bears its name, and marks those
// that are out of date: the fingerprint is not that of the node's pods, or, where there is none,
// the node's kubelet refused a pod.
void link_numa(Records& records, const Vocabulary& vocabulary);

// Whether pods are judged by zones where no node has any, too: scheduler-plugins scores them.
bool seeks_zones(const Config& config);

// Without zones no plugin asks for a container's requests: pods that differ in nothing else are
// equal. Those that must share a zone still do, and wait.
void forget_demands(Objects& objects);
// No node has zones, and no pod asks for any.
void forget_zones(Objects& objects);

}  // namespace trellis
