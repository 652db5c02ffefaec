// The class of each node: see framework/node_class.h.
//
// Only labels that some pod class reads count. A pod class that reads a new label rebuilds all
// classes; any other change touches only the nodes that changed.
#pragma once

#include <map>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node.h"
#include "framework/node_class.h"
#include "framework/pod.h"

namespace trellis {

class NodeClasses {
 public:
  // True when all classes were rebuilt, so that results kept per class are no longer valid.
  bool read_pod_classes(const IndexedVector<PodClassId, PodSpec>& pod_classes,
                        const IndexedVector<NodeId, Node>& nodes);
  void classify(NodeId id, const Node& node);

  const IndexedVector<NodeClassId, NodeClass>& classes() const { return classes_; }
  const IndexedVector<NodeId, NodeClassId>& of_node() const { return of_node_; }

 private:
  // A label that pod classes read: its value, or only whether it is there.
  struct ReadKey {
    StrId key;
    bool by_value = false;
  };

  bool add_key(ReadKey read);
  bool add_keys(const PodSpec& spec);

  std::vector<ReadKey> keys_;  // sorted by key
  NodeFeatures features_;      // that pod classes need
  size_t pod_classes_read_ = 0;
  IndexedVector<NodeClassId, NodeClass> classes_;
  IndexedVector<NodeId, NodeClassId> of_node_;
  std::map<NodeClass, NodeClassId> ids_;
};

}  // namespace trellis
