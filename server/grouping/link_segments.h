// The segments that a gang, or a leaf of it, requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/gang.h"
#include "server/document/field_reader.h"
#include "server/grouping/link_topology.h"
#include "server/objects/records.h"

namespace trellis {

// A layer with the source position of each of its values.
struct PlacedLayer {
  int64_t size = 0;
  Place size_at;
  PlacedConstraint levels;  // without a topology
};

class SegmentLinker {
 public:
  SegmentLinker(FieldReader& fields, TopologyLinker& topologies)
      : fields_(fields), topologies_(topologies) {}

  // The layers that the keys request, coarse to fine. `group_size`: the size of segments where a
  // level has none; 0: no size. A wrong value is reported, appended to `errors` as a reason of
  // `subgroup`, and requests nothing.
  std::vector<PlacedLayer> parse(const StructureKeys& keys, int64_t group_size,
                                 std::string_view subgroup, std::vector<Reason>& errors);

  // Finds the levels of the layers in the topology around them. Each layer's level must be finer
  // than the one before, and its size must divide the size before; else the layer is reported and
  // kept in `errors`.
  std::vector<SegmentLayer> link(const std::vector<PlacedLayer>& layers,
                                 const TopologyAround& around, std::string_view subgroup,
                                 std::vector<Reason>& errors);

 private:
  std::vector<PlacedLayer> parse_json(const PlacedWord& word, std::string_view subgroup,
                                      std::vector<Reason>& errors);
  bool nests(const PlacedLayer& outer, int outer_level, const PlacedLayer& inner, int inner_level,
             std::string_view subgroup, std::vector<Reason>& errors);
  // Segments are counted by domain, and a zone is no domain: it is reported.
  bool asks_zone(const PlacedConstraint& wanted, std::string_view subgroup,
                 std::vector<Reason>& errors);
  void fail(const Place& at, Finding finding, std::string subject, std::string_view subgroup,
            std::vector<Reason>& errors);
  std::string_view view(StrId id) const { return fields_.vocabulary().strings.view(id); }

  FieldReader& fields_;
  TopologyLinker& topologies_;
};

// All level names of the layers.
std::vector<StrId> level_words(const std::vector<PlacedLayer>& layers);

}  // namespace trellis
