// The groups of nodes that are tried for pods with a topology constraint.
//
// Order (docs/design/003-order-of-domains.md): levels from the preferred (else the deepest) up to
// the required one (none: the root), deepest first; on a level domains that can take the pods now
// before domains where they wait for leaving pods; then as topology/domain_search.h orders them.
// Pods that already have a node bind the search to their required domain, and domains near them are
// preferred. Inside a domain the pods are divided: into segments, or among domains of the preferred
// level; then level by level down to the level above single nodes, where scores choose.
#pragma once

#include <optional>
#include <vector>

#include "framework/plugin.h"
#include "framework/topology_levels.h"
#include "topology/domain_search.h"
#include "topology/segment_division.h"

namespace trellis {

class TopologyGroups : public NodeGroups {
 public:
  explicit TopologyGroups(const View& view) : view_(view) {}

  // Answers this query from now on, and reuses the memory. REQUIRES: `levels` were resolved against
  // the topology; segment levels exist in it.
  void begin(const GroupQuery& query, TopologyId topology, const ResolvedLevels& levels);

  bool next(NodeGroup& group) override;
  int64_t looked_at() const override { return looked_at_ + candidates_.looked_at(); }

 private:
  // The position of the enumeration.
  struct Cursor {
    int level = 0;
    FitMode mode = FitMode::Now;
    size_t scope = 0;
  };

  void read_segments();
  void set_levels();
  void read_scope();
  void choose_scopes();
  void load_counts();
  void load_foreign_counts();
  void load_whole_counts(const GangRow& row, bool fresh);
  const DomainCounts& counts_of(size_t row);
  bool advance();
  DomainQuery query() const;
  bool make_group(DomainId domain, NodeGroup& group);
  DomainParts plain_parts(DomainId domain, int split) const;
  void divide_further(DomainParts& parts, int bottom) const;
  GroupPart as_group_part(const DomainPart& part);
  bool inside_scope(NodeId node) const;
  std::span<const NodeId> pick_inside_scope(std::span<const NodeId> nodes);

  const View& view_;
  const GroupQuery* query_ = nullptr;
  TopologyId topology_;
  const TopologyTree* tree_ = nullptr;
  ResolvedLevels levels_;
  int first_level_ = 0;
  int last_level_ = 0;
  // The deepest level whose domains are more than single nodes, or are nodes that are preferred.
  int deepest_group_ = 0;
  DomainId own_scope_;                // of this topology; kNone: none
  std::vector<ScopeDomain> foreign_;  // scopes that are domains of other topologies
  std::vector<SegmentLevel> segments_;
  const DomainCounts* whole_ = nullptr;       // in whole segments
  DomainCounts foreign_whole_;                // the same in foreign scopes
  std::vector<DomainCounts> foreign_counts_;  // of the nodes in foreign scopes, by row
  std::optional<FitMode> counted_;            // the mode of the foreign counts
  std::vector<RowDemand> demands_;            // of the cursor's mode
  RowDemand pods_;                            // the leading row, not in whole segments
  Closeness closeness_;
  std::vector<DomainId> scopes_;
  Cursor cursor_;
  CandidateDomains candidates_;                    // of the cursor's level and scope, in its mode
  int64_t looked_at_ = 0;                          // domains, before candidates_ and outside of it
  std::vector<std::vector<NodeId>> picked_nodes_;  // of a group's parts in foreign scopes
};

}  // namespace trellis
