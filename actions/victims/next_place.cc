#include "actions/victims/next_place.h"

#include "framework/gang_minimum.h"
#include "session/cycle/gang_step.h"

namespace trellis {
namespace {

// Whether the devices are free in future. A pod that requests whole devices may hold a device that
// no pod shares.
bool are_free(const NodeState& state, NodeId node, const GpuGrant& devices) {
  std::span<const int64_t> left = state.devices(node, FitMode::Future);
  int64_t opened = 0;
  for (const GpuPart& part : devices) {
    int64_t free = left[static_cast<size_t>(part.device)];
    if (free < part.portion_milli) return false;
    if (free == kMilli) opened += kMilli;
  }
  return opened <= state.future[kGpu][node];
}

}  // namespace

bool has_next_place(const Session& session, PodId pod) {
  const PodKey& key = session.snapshot().key(pod);
  return !is_of_daemon_set(session.cluster().pods()[pod].pod) && key.hold == PodHold::None &&
         !session.cluster().pod_classes()[key.pod_class].replacement;
}

size_t leave_out_stuck(const Session& session, GangId id, std::vector<PodId>& pods) {
  size_t erased = std::erase_if(pods, [&](PodId pod) { return !has_next_place(session, pod); });
  const Gang& gang = session.cluster().gangs()[id];
  if (gang.subgroups.empty()) return erased;
  std::vector<GangCounts> counts = session.snapshot().subgroup_counts()[id];
  auto leaf = [&](PodId pod) { return session.snapshot().key(pod).subgroup; };
  for (PodId pod : pods) {
    if (leaf(pod) >= 0) ++counts[static_cast<size_t>(leaf(pod))].placed;
  }
  std::vector<bool> met = subgroups_with_minimum(gang, counts);
  return erased + std::erase_if(pods, [&](PodId pod) {
           return leaf(pod) < 0 || !met[static_cast<size_t>(leaf(pod))];
         });
}

bool comes_back(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  return leaves_are_whole(gang, session.snapshot().subgroup_counts()[id]) &&
         session.has_minimum(id) && gang_refusals(session, id).empty();
}

bool fits_back(Session& session, PodId pod) {
  NodeId node = session.snapshot().pod(pod).node;
  return session.fits().may_stay(pod, node) &&
         are_free(session.snapshot().state(), node, session.snapshot().grant(pod));
}

}  // namespace trellis
