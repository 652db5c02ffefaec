// Networks as objects: a Topology for each, and a Node with the labels of each node.
#pragma once

#include <string>
#include <vector>

#include "server/document/document_writer.h"
#include "server/fabric/fabric.h"

namespace trellis {

struct FabricNaming {
  std::string topology;             // empty: the network's own name, else "fabric"
  std::vector<std::string> labels;  // as in LevelNames; only of one network
};

// "": the nodes can be Nodes. Otherwise two nodes would be the same Node, and the text says which.
std::string node_name_clash(const std::vector<Fabric>& fabrics);

// A List of all objects. Names of nodes become names of Nodes: in lower case, with '-' for what a
// name of a Node cannot have. A Node without spec and status adds its labels to the Node of that
// name in the rest of the input.
void write_fabric_objects(DocumentWriter& out, const std::vector<Fabric>& fabrics,
                          const FabricNaming& naming);

// The name of an object, from any name.
std::string object_name_of(std::string_view name);

}  // namespace trellis
