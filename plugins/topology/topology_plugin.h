// topology: FeasibleNodes, the groups of nodes that a gang with a topology constraint is tried on.
//
// Order (DESIGN.md section 5): levels from the preferred (else the deepest) up to the required one
// (none: the root), deepest first; on a level domains that can take the gang now before those where
// it waits for pods that leave; then as topology/domain_search.h orders them. Pods that already
// have a node bind the search to their required domain and draw it near. Inside a domain the gang
// is divided: first among domains of the preferred level, then level by level down to the one above
// single nodes, where scores choose.
#pragma once

#include <optional>
#include <vector>

#include "framework/plugin.h"
#include "framework/topology_levels.h"
#include "topology/domain_search.h"

namespace trellis {

class TopologyPlugin : public Plugin, public FeasibleNodes {
 public:
  std::string_view name() const override { return "topology"; }
  void open(const View& view, Hooks& hooks) override;

  bool begin(GangId gang, std::span<const GangRow> rows, std::span<const NodeId> placed) override;
  bool next(NodeGroup& group) override;
  Reason refusal(GangId gang) const override;

 private:
  // Where the enumeration stands.
  struct Cursor {
    int level = 0;
    FitMode mode = FitMode::Now;
    size_t scope = 0;
    std::optional<DomainRank> last;
  };

  bool resolve(GangId gang);
  void choose_scopes(std::span<const NodeId> placed);
  void load_counts();
  bool advance();
  DomainQuery query() const;
  void make_group(DomainId domain, NodeGroup& group) const;
  void add_divided(std::vector<DomainPart> parts, int level, NodeGroup& group) const;
  GroupPart as_group_part(const DomainPart& part) const;
  int first_level() const { return levels_.preferred >= 0 ? levels_.preferred : deepest_; }

  const View* view_ = nullptr;
  TopologyId topology_;
  const TopologyTree* tree_ = nullptr;
  ResolvedLevels levels_;
  int deepest_ = 0;        // level
  int deepest_group_ = 0;  // deepest level whose domains are more than single nodes
  std::vector<GangRow> rows_;
  std::vector<RowDemand> demands_;  // of the cursor's mode
  Closeness closeness_;
  std::vector<DomainId> scopes_;
  Cursor cursor_;
};

}  // namespace trellis
