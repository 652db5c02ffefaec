#include "plugins/gpusharing/gpusharing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/gpu_share.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

// How many pods' parts each device has left.
using Parts = boost::container::small_vector<int64_t, 16>;

constexpr size_t kMostChoices = 1024;

// The parts that each device has for pods that come together. Of the devices that must be opened,
// only as many as may be opened count, those with most parts; the others have 0.
template <class Devices>
Parts parts_together(const Devices& devices, int64_t portion) {
  Parts parts(devices.all.size(), 0);
  boost::container::small_vector<size_t, 16> closed;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (devices.all[i].opens) {
      closed.push_back(i);
    } else {
      parts[i] = devices.all[i].left / portion;
    }
  }
  auto has_more = [&](size_t a, size_t b) { return devices.all[a].left > devices.all[b].left; };
  // They mostly have the same, and sorting allocates.
  if (!std::is_sorted(closed.begin(), closed.end(), has_more)) {
    std::stable_sort(closed.begin(), closed.end(), has_more);
  }
  int64_t openings = devices.openings;
  int64_t openings_now = devices.openings_now;
  for (size_t i : closed) {
    if (openings == 0) break;
    if (devices.all[i].opens_now && openings_now-- <= 0) continue;
    --openings;
    parts[i] = devices.all[i].left / portion;
  }
  return parts;
}

// How many pods fit that each take `portion` of `wanted` different devices: the most c with
// sum over devices of min(parts of the device, c) >= c x wanted.
int64_t pods_over_devices(std::span<const int64_t> parts, int64_t wanted) {
  int64_t sum = 0;
  for (int64_t count : parts) sum += count;
  int64_t low = 0;
  int64_t high = sum / wanted;
  while (low < high) {
    int64_t middle = (low + high + 1) / 2;
    int64_t usable = 0;
    for (int64_t count : parts) usable += std::min(count, middle);
    if (usable >= middle * wanted) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Whether `pods` more pods, each on as many devices, fit after a pod has taken one part of each
// device in `taken` and of `more` others.
bool leaves_room(Parts parts, const std::vector<bool>& taken, int64_t more, int64_t pods) {
  int64_t wanted = more;
  std::vector<size_t> others;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (taken[i]) {
      --parts[i];
      ++wanted;
    } else {
      others.push_back(i);
    }
  }
  // The `more` parts cost least on the devices with most parts left.
  std::stable_sort(others.begin(), others.end(),
                   [&](size_t a, size_t b) { return parts[a] > parts[b]; });
  if (static_cast<int64_t>(others.size()) < more) return false;
  for (size_t i = 0; i < static_cast<size_t>(more); ++i) --parts[others[i]];
  return pods_over_devices({parts.data(), parts.size()}, wanted) >= pods;
}

}  // namespace

void GpuSharing::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.node_counters.push_back({this, name()});
  hooks.node_scorers.push_back({this, name(), view.config->plugin("gpusharing").weight});
  hooks.device_granter.supply(this, name());
}

bool GpuSharing::applies(PodClassId pod_class) const {
  return (*view_->pod_classes)[pod_class].gpu_share.active();
}

int64_t GpuSharing::portion_on(PodClassId pod_class, NodeId node) const {
  return share_portion((*view_->pod_classes)[pod_class].gpu_share, (*view_->nodes)[node]);
}

bool GpuSharing::waits_for_shared(NodeId node, int64_t portion) const {
  if (view_->config->placement_strategy.gpu != Strategy::Binpack) return false;
  std::span<const int64_t> now = view_->state->devices(node, FitMode::Now);
  std::span<const int64_t> future = view_->state->devices(node, FitMode::Future);
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] < portion && portion <= future[i] && future[i] < kWholeDevice) return true;
  }
  return false;
}

GpuSharing::Devices GpuSharing::devices_for(FitMode mode, NodeId node, int64_t portion) const {
  const NodeState& state = *view_->state;
  std::span<const int64_t> left = state.devices(node, mode);
  std::span<const int64_t> now = state.devices(node, FitMode::Now);
  std::span<const int64_t> future = state.devices(node, FitMode::Future);
  Devices devices;
  devices.openings = state.future[kGpu][node] / kWholeDevice;
  devices.openings_now = state.now[kGpu][node] / kWholeDevice;
  bool waits = mode == FitMode::Now && waits_for_shared(node, portion);
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] < portion) continue;
    bool opens_now = mode == FitMode::Now && now[i] == kWholeDevice;
    bool opens = future[i] == kWholeDevice;
    if (waits && (opens || opens_now)) continue;
    if ((opens && devices.openings <= 0) || (opens_now && devices.openings_now <= 0)) continue;
    devices.all.push_back({static_cast<int32_t>(i), left[i], now[i], opens, opens_now});
  }
  bool spread = view_->config->placement_strategy.gpu == Strategy::Spread;
  std::sort(devices.all.begin(), devices.all.end(), [&](const Device& a, const Device& b) {
    if (a.left != b.left) return spread ? a.left > b.left : a.left < b.left;
    return std::pair(a.left_now, a.index) < std::pair(b.left_now, b.index);
  });
  return devices;
}

int64_t GpuSharing::pods_that_fit(PodClassId pod_class, FitMode mode, NodeId node) const {
  if ((*view_->nodes)[node].gpus_in_slices) return 0;
  int64_t portion = portion_on(pod_class, node);
  if (portion <= 0 || portion > kWholeDevice) return 0;
  if (view_->state->columns(mode)[kGpu][node] < 0) return 0;
  int64_t wanted = (*view_->pod_classes)[pod_class].gpu_share.devices;
  auto holds = [&](int64_t left) { return left >= portion; };
  if (std::ranges::count_if(view_->state->devices(node, mode), holds) < wanted) return 0;
  Devices devices = devices_for(mode, node, portion);
  Parts parts = parts_together(devices, portion);
  return pods_over_devices({parts.data(), parts.size()}, wanted);
}

void GpuSharing::count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                           std::span<int32_t> counts) const {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] == 0) continue;
    counts[i] = static_cast<int32_t>(
        std::min<int64_t>(counts[i], pods_that_fit(pod_class, mode, nodes[i])));
  }
}

ReasonCode GpuSharing::refusal(PodClassId pod_class, FitMode mode, NodeId node) const {
  if (pods_that_fit(pod_class, mode, node) > 0) return ReasonCode::None;
  if ((*view_->nodes)[node].gpus_in_slices) return ReasonCode::GpusInSlices;
  bool has_devices = !view_->state->devices(node, mode).empty();
  bool unknown = has_devices && portion_on(pod_class, node) == 0;
  return unknown ? ReasonCode::GpuMemoryUnknown : ReasonCode::InsufficientGpuShare;
}

void GpuSharing::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                       std::span<double> out) const {
  if (!distinguishes(pod_class, FitMode::Future)) return;
  int64_t wanted = (*view_->pod_classes)[pod_class].gpu_share.devices;
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t portion = portion_on(pod_class, nodes[i]);
    auto devices = view_->state->devices(nodes[i], FitMode::Now);
    int64_t fitting = std::count_if(devices.begin(), devices.end(), [&](int64_t left) {
      return left < kWholeDevice && left >= portion;
    });
    if (portion > 0 && fitting >= wanted) out[i] += weight * kGpuSharingScore;
  }
}

GpuGrant GpuSharing::grant(PodClassId pod_class, FitMode mode, NodeId node,
                           int64_t followers) const {
  GpuGrant grant;
  int64_t fits = pods_that_fit(pod_class, mode, node);
  if (fits == 0) return grant;
  int64_t portion = portion_on(pod_class, node);
  Devices devices = devices_for(mode, node, portion);
  Parts parts = parts_together(devices, portion);
  int64_t wanted = (*view_->pod_classes)[pod_class].gpu_share.devices;
  std::vector<bool> taken(parts.size(), false);
  for (size_t i = 0; i < parts.size() && wanted > 0; ++i) {
    if (parts[i] == 0) continue;
    taken[i] = true;
    if (!leaves_room(parts, taken, wanted - 1, std::min(fits - 1, followers))) {
      taken[i] = false;
      continue;
    }
    --wanted;
    grant.push_back({devices.all[i].index, static_cast<int32_t>(portion)});
  }
  return grant;
}

GpuChoices GpuSharing::choices(PodClassId pod_class, FitMode mode, NodeId node) const {
  GpuChoices found;
  if (pods_that_fit(pod_class, mode, node) == 0) return found;
  int64_t portion = portion_on(pod_class, node);
  Devices devices = devices_for(mode, node, portion);
  const auto& all = devices.all;
  struct Partial {
    GpuGrant grant;
    int64_t wanted = 0, openings = 0, openings_now = 0;  // still to be chosen
  };
  std::vector<Partial> partials;
  partials.push_back({{},
                      (*view_->pod_classes)[pod_class].gpu_share.devices,
                      devices.openings,
                      devices.openings_now});
  // Of each run of equal devices, any number is tried, taken from its beginning.
  for (size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].key() == all[first].key()) ++last;
    std::vector<Partial> longer;
    for (const Partial& partial : partials) {
      int64_t most = std::min<int64_t>(partial.wanted, static_cast<int64_t>(last - first));
      if (all[first].opens) most = std::min(most, partial.openings);
      if (all[first].opens_now) most = std::min(most, partial.openings_now);
      for (int64_t count = most; count >= 0; --count) {
        Partial& next = longer.emplace_back(partial);
        next.wanted -= count;
        if (all[first].opens) next.openings -= count;
        if (all[first].opens_now) next.openings_now -= count;
        for (size_t i = first; i < first + static_cast<size_t>(count); ++i) {
          next.grant.push_back({all[i].index, static_cast<int32_t>(portion)});
        }
      }
    }
    found.all = found.all && longer.size() <= kMostChoices;
    if (longer.size() > kMostChoices) longer.resize(kMostChoices);
    partials = std::move(longer);
  }
  for (Partial& partial : partials) {
    if (partial.wanted == 0) found.grants.push_back(std::move(partial.grant));
  }
  return found;
}

}  // namespace trellis
