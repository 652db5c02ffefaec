// Whether what gangs ask of a topology can be understood.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <vector>

#include "framework/reason.h"
#include "framework/topology_levels.h"
#include "framework/vocabulary.h"
#include "server/manifest/records.h"
#include "server/manifest/report.h"

namespace trellis {

class TopologyLinker {
 public:
  // `topologies` must stay as they are while this is in use.
  TopologyLinker(const std::vector<TopologyRecord>& topologies, const Vocabulary& vocabulary,
                 Report& report);

  // Reports what is wrong with the constraint, and appends the reasons for which a gang that asks
  // for it waits. Returns the levels that were found.
  ResolvedLevels check(const PlacedConstraint& wanted, std::vector<Reason>& errors);

 private:
  // The level's index; -1 when it is not asked for or was reported.
  int find(const TopologyRecord& record, StrId word, const Place& at, std::vector<Reason>& errors);

  const StringTable& strings_;
  Report& report_;
  absl::flat_hash_map<uint32_t, const TopologyRecord*> by_name_;
  std::vector<std::string_view> names_;
};

}  // namespace trellis
