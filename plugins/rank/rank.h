// rank: writes a pod's position in the order inside its gang to the label `trellis.scheduler/rank`.
#pragma once

#include <string>

#include "framework/plugin.h"

namespace trellis {

inline constexpr std::string_view kRankLabel = "trellis.scheduler/rank";

class RankPlugin : public Plugin, public BeforeBind {
 public:
  std::string_view name() const override { return "rank"; }
  void open(const View& /*view*/, Hooks& hooks) override {
    hooks.before_binds.push_back({this, name()});
  }

  void before_bind(PodId /*pod*/, NodeId /*node*/, int32_t rank,
                   std::vector<BindNote>& notes) const override {
    if (rank < 0) return;
    notes.push_back({BindNote::Kind::Label, kRankLabel, std::to_string(rank)});
  }
};

}  // namespace trellis
