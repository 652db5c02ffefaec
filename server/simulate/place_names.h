// The domains that a gang stands in, and the fewest that could hold it.
//
// The domains are those of the lowest level above single nodes of the gang's topology, else of the
// first topology by name; in a cluster without such a level they are the nodes.
// Cost: O(pods of the gang); after forget(), O(nodes) once for each topology that is asked about.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct GangPlaces {
  std::vector<uint32_t> domains;  // places in PlaceNames::names(), in order of name
  int32_t fewest = 0;             // by the GPUs of the empty cluster; at least 1
};

class PlaceNames {
 public:
  explicit PlaceNames(const Cluster& cluster) : cluster_(cluster) {}

  GangPlaces places_of(GangId gang);
  // Nodes or topologies changed.
  void forget() { maps_.clear(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Map {
    IndexedVector<NodeId, uint32_t> domain;
    std::vector<int64_t> gpu_milli;  // of the largest domains together: the k-th of k + 1
  };
  const Map& map_of(GangId gang);
  Map make_map(TopologyId topology);
  std::string name_of(const Node& node, const std::vector<StrId>& levels) const;
  TopologyId first_topology() const;

  const Cluster& cluster_;
  std::vector<std::string> names_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;  // of names_
  std::map<TopologyId, Map> maps_;
};

}  // namespace trellis
