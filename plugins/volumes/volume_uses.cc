#include "plugins/volumes/volume_uses.h"

#include <algorithm>
#include <optional>

namespace trellis {
namespace {

// The volumes of a pod that count once on a node, however many of its pods use them.
std::vector<VolumeHandle> named_volumes(const PodVolumes& volumes) {
  std::vector<VolumeHandle> named = volumes.attached;
  for (const WaitingClaim& claim : volumes.waiting) {
    if (claim.name.valid() && claim.driver.valid()) named.push_back({claim.driver, claim.name});
  }
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

}  // namespace

bool collide(const InlineDisk& a, const InlineDisk& b) {
  if (a.kind != b.kind || a.name != b.name || (a.shared && b.shared)) return false;
  if (a.monitors.empty() && b.monitors.empty()) return true;
  return std::ranges::find_first_of(a.monitors, b.monitors) != a.monitors.end();
}

void VolumeUses::change(const PodVolumes& volumes, NodeId node, Presence presence, int64_t by) {
  OnNode& on = nodes_[node.value];
  auto add = [&](auto& counts, const auto& key) {
    PodCount& count = counts[key];
    count.add(presence, by);
    if (count.empty()) counts.erase(key);
  };
  for (const VolumeHandle& volume : named_volumes(volumes)) add(on.attached, volume);
  for (const WaitingClaim& claim : volumes.waiting) {
    if (!claim.name.valid() && claim.driver.valid()) add(on.waiting, claim.driver);
  }
  for (StrId claim : volumes.exclusive) add(claims_, claim.value);
  for (const InlineDisk& disk : volumes.disks) {
    auto found = std::ranges::find(on.disks, disk, &std::pair<InlineDisk, PodCount>::first);
    if (found == on.disks.end()) found = on.disks.insert(on.disks.end(), {disk, PodCount()});
    found->second.add(presence, by);
    if (found->second.empty()) on.disks.erase(found);
  }
}

int64_t VolumeUses::attachable(const PodVolumes& volumes, NodeId id, const Node& node, FitMode mode,
                               int64_t most) const {
  if (!node.storage) return most;
  static const OnNode kNothing;
  auto found = nodes_.find(id.value);
  const OnNode& on = found == nodes_.end() ? kNothing : found->second;
  const std::vector<VolumeHandle>& lingering = node.storage->attached;
  // A volume that only leaving pods use is detached with them.
  auto is_used = [&](const VolumeHandle& volume) {
    auto used = on.attached.find(volume);
    if (used != on.attached.end()) return used->second.in_the_way(mode) > 0;
    return std::ranges::binary_search(lingering, volume);
  };
  std::vector<VolumeHandle> named = named_volumes(volumes);
  for (const NodeDriver& driver : node.storage->drivers) {
    if (!driver.limit) continue;
    auto of_driver = [&](const VolumeHandle& volume) { return volume.driver == driver.driver; };
    int64_t fresh = std::ranges::count_if(
        named, [&](const VolumeHandle& volume) { return of_driver(volume) && !is_used(volume); });
    int64_t each = std::ranges::count_if(volumes.waiting, [&](const WaitingClaim& claim) {
      return !claim.name.valid() && claim.driver == driver.driver;
    });
    if (fresh == 0 && each == 0) continue;
    int64_t used = 0;
    for (const auto& [volume, pods] : on.attached) {
      used += of_driver(volume) && pods.in_the_way(mode) > 0 ? 1 : 0;
    }
    used += std::ranges::count_if(lingering, [&](const VolumeHandle& volume) {
      return of_driver(volume) && !on.attached.contains(volume);
    });
    auto waiting = on.waiting.find(driver.driver);
    if (waiting != on.waiting.end()) used += waiting->second.in_the_way(mode);
    int64_t free = *driver.limit - used - fresh;
    if (free < each) return 0;
    if (each > 0) most = std::min(most, free / each);
  }
  return most;
}

bool VolumeUses::has_disk(const PodVolumes& volumes, NodeId node, FitMode mode) const {
  auto found = nodes_.find(node.value);
  if (volumes.disks.empty() || found == nodes_.end()) return false;
  return std::ranges::any_of(found->second.disks, [&](const auto& disk) {
    return disk.second.in_the_way(mode) > 0 &&
           std::ranges::any_of(volumes.disks,
                               [&](const InlineDisk& own) { return collide(own, disk.first); });
  });
}

bool VolumeUses::in_use(const PodVolumes& volumes, FitMode mode) const {
  return std::ranges::any_of(volumes.exclusive, [&](StrId claim) {
    auto found = claims_.find(claim.value);
    return found != claims_.end() && found->second.in_the_way(mode) > 0;
  });
}

}  // namespace trellis
