#include "plugins/rank/rank.h"

#include <string>

namespace trellis {

void RankPlugin::open(const View& /*view*/, Hooks& hooks) {
  hooks.before_binds.push_back({this, name()});
}

void RankPlugin::before_bind(PodId /*pod*/, NodeId /*node*/, int32_t rank,
                             std::vector<BindNote>& notes) const {
  if (rank < 0) return;
  notes.push_back({BindNote::Kind::Label, kRankLabel, std::to_string(rank)});
}

}  // namespace trellis
