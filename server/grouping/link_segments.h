// The segments that a gang, or a leaf of it, asks for.
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

// A layer with the place of each of its words.
struct PlacedLayer {
  int64_t size = 0;
  Place size_at;
  PlacedConstraint levels;  // without a topology
};

class SegmentLinker {
 public:
  SegmentLinker(FieldReader& fields, TopologyLinker& topologies)
      : fields_(fields), topologies_(topologies) {}

  // What the keys ask for, coarse to fine. `group_size` is the size where a level stands without
  // one; 0: there is none. What is wrong is reported, appended to `errors` as a reason of
  // `subgroup`, and asks for nothing.
  std::vector<PlacedLayer> parse(const StructureKeys& keys, int64_t group_size,
                                 std::string_view subgroup, std::vector<Reason>& errors);

  // Finds their levels in the topology around them. Each layer's level is finer than the one
  // before, and its size divides it; else it is reported and kept in `errors`.
  std::vector<SegmentLayer> link(const std::vector<PlacedLayer>& layers,
                                 const TopologyAround& around, std::string_view subgroup,
                                 std::vector<Reason>& errors);

 private:
  std::vector<PlacedLayer> parse_json(const PlacedWord& word, std::string_view subgroup,
                                      std::vector<Reason>& errors);
  bool nests(const PlacedLayer& outer, int outer_level, const PlacedLayer& inner, int inner_level,
             std::string_view subgroup, std::vector<Reason>& errors);
  // Segments are counted by domain, and a zone is none: it is reported.
  bool asks_zone(const PlacedConstraint& wanted, std::string_view subgroup,
                 std::vector<Reason>& errors);
  void fail(const Place& at, Finding finding, std::string subject, std::string_view subgroup,
            std::vector<Reason>& errors);
  std::string_view view(StrId id) const { return fields_.vocabulary().strings.view(id); }

  FieldReader& fields_;
  TopologyLinker& topologies_;
};

// Every level word of the layers.
std::vector<StrId> level_words(const std::vector<PlacedLayer>& layers);

}  // namespace trellis
