#include "server/kube/status/gang_reasons.h"

#include <algorithm>

#include "server/output/reason_text.h"

namespace trellis {

void GangReasons::look(const Cluster& cluster, const CycleRecord& record, TimeUs now) {
  next_look_ = kNoTime;
  gangs_.resize(record.gangs.size());
  for (uint32_t i = 0; i < record.gangs.size(); ++i) {
    GangId id(i);
    const Gang& gang = cluster.gangs()[id];
    const std::vector<Reason>& reasons = record.gangs[id].reasons;
    Known& known = gangs_[id];
    if (!cluster.alive(id) || reasons.empty()) {
      if (known.said.version != 0) known = Known();
      continue;
    }
    bool same_gang = known.name_space == gang.name_space && known.name == gang.name;
    if (same_gang && known.reasons == reasons) continue;
    bool same_kind = same_gang && known.said.code == reasons.front().code;
    if (same_kind && now < known.told + kStandsUs) {
      TimeUs due = known.told + kStandsUs;
      next_look_ = next_look_ == kNoTime ? due : std::min(next_look_, due);
      continue;
    }
    TimeUs since = same_kind ? known.said.since : now;
    known = {gang.name_space,
             gang.name,
             reasons,
             now,
             {++versions_, reasons.front().code, reason_text(cluster, reasons.front()), since}};
  }
}

}  // namespace trellis
