// A small cluster made by hand, and a record of a cycle on it, for tests of what comes after.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

class SampleCluster {
 public:
  NodeId node(std::string_view name, int64_t gpus);
  GangId gang(std::string_view name, std::string_view queue = "");
  // `node` "": none. The record says what the pod is.
  PodId pod(std::string_view gang, std::string_view name, PodStatus status = PodStatus::Pending,
            std::string_view node = "");

  // With subgroups by name, each with its parent's name or "".
  GangId gang_of(std::string_view name,
                 const std::vector<std::pair<std::string, std::string>>& subgroups);
  void put_into(PodId pod, std::string_view subgroup);

  Cluster cluster;

  // A record that says of every pod, gang and node what the cluster says.
  CycleRecord record() const;

 private:
  StrId str(std::string_view text) { return cluster.vocabulary().strings.intern(text); }
};

}  // namespace trellis
