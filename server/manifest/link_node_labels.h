// The labels of nodes that stand in objects of their own, as `topology import` writes them.
#pragma once

#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// Adds the labels to the nodes of their names, where they replace the nodes' own. Labels of a name
// that no other Node has make a Node, with a warning. Empties records.node_labels.
void link_node_labels(Records& records, Report& report);

}  // namespace trellis
