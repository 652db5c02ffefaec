// topology: FeasibleNodes for gangs, subgroups and segments with a topology constraint.
#pragma once

#include <memory>

#include "framework/plugin.h"
#include "framework/topology_levels.h"

namespace trellis {

class TopologyPlugin : public Plugin, public FeasibleNodes {
 public:
  std::string_view name() const override { return "topology"; }
  void open(const View& view, Hooks& hooks) override;

  std::unique_ptr<NodeGroups> groups(const GroupQuery& query,
                                     std::unique_ptr<NodeGroups> used) override;
  Reason refusal(GangId gang) const override;

 private:
  TopologyId find(StrId name) const;
  Reason refusal(const TopologyConstraint& constraint,
                 std::span<const SegmentLayer> segments) const;

  const View* view_ = nullptr;
};

}  // namespace trellis
