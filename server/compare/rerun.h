// The last cycle run again with some nodes cordoned or drained, on the very cluster that it ran on.
//
// What the change needs is put into the cluster and taken out again: no object comes or goes, so
// every id stays. Only changes whose names are complete are carried out in this way, and no drain
// where workloads would have to move, or where a pod would wait again as another one.
// Guarantees: once this object is gone, the cluster is as it was, and the engine has the record
// that it had. Cost: what the closed nodes and their pods come to in a cycle, once more at the end.
#pragma once

#include <memory>
#include <vector>

#include "server/compare/planned_change.h"
#include "server/engine/engine.h"
#include "session/record/record.h"

namespace trellis {

class Rerun {
 public:
  // REQUIRES: `record` is of the engine's last cycle, and the cluster is as that cycle found it.
  // Both outlive this object.
  Rerun(Engine& engine, std::shared_ptr<const CycleRecord> record);
  ~Rerun();
  Rerun(const Rerun&) = delete;
  Rerun& operator=(const Rerun&) = delete;

  // The record of the cycle with the change; null: it cannot be carried out in this way, and
  // nothing has changed.
  std::shared_ptr<const CycleRecord> run(const PlannedChange& change);

 private:
  bool find_nodes(const std::string& word, std::vector<NodeId>& nodes);
  bool can_leave(NodeId node) const;
  void close(NodeId node);
  void empty(NodeId node);

  Engine& engine_;
  Cluster& cluster_;
  std::shared_ptr<const CycleRecord> record_;
  std::vector<Node> nodes_;      // as they were
  std::vector<PodObject> pods_;  // as they were
};

}  // namespace trellis
