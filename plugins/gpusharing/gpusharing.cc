#include "plugins/gpusharing/gpusharing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/gpu_share.h"
#include "plugins/score_magnitudes.h"

namespace trellis {
namespace {

constexpr int64_t kWholeDevice = kMilli;

// How many pods' parts each device has left.
using Parts = boost::container::small_vector<int64_t, 16>;

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

// Whether after a pod has taken one part of each device in `taken`, and of `more` others, as many
// pods still fit that take as many devices.
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
  // The rest does least harm where most is left.
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
  hooks.device_granter = this;
}

bool GpuSharing::applies(PodClassId pod_class) const {
  return (*view_->pod_classes)[pod_class].gpu_share.active();
}

int64_t GpuSharing::portion_on(PodClassId pod_class, NodeId node) const {
  return share_portion((*view_->pod_classes)[pod_class].gpu_share, (*view_->nodes)[node]);
}

// Whole pods hold devices that have no number, so of the devices that nobody shares only as many
// may be opened as the GPU columns say: those that are free now too first, then the emptiest.
GpuSharing::Devices GpuSharing::usable(FitMode mode, NodeId node, int64_t portion) const {
  const NodeState& state = *view_->state;
  std::span<const int64_t> left = state.devices(node, mode);
  std::span<const int64_t> now = state.devices(node, FitMode::Now);
  std::span<const int64_t> future = state.devices(node, FitMode::Future);
  int64_t openings = state.future[kGpu][node] / kWholeDevice;
  int64_t openings_now = std::min(openings, state.now[kGpu][node] / kWholeDevice);
  Devices devices;
  Devices freed_later;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] < portion) continue;
    Device device{static_cast<int32_t>(i), left[i], now[i]};
    if (future[i] < kWholeDevice) {
      devices.push_back(device);
    } else if (mode == FitMode::Future || now[i] < kWholeDevice) {
      freed_later.push_back(device);
    } else if (openings_now-- > 0) {
      devices.push_back(device);
      --openings;
    }
  }
  std::stable_sort(freed_later.begin(), freed_later.end(), [](const Device& a, const Device& b) {
    return a.left != b.left ? a.left > b.left : a.left_now < b.left_now;
  });
  for (const Device& device : freed_later) {
    if (openings-- > 0) devices.push_back(device);
  }
  return devices;
}

int64_t GpuSharing::pods_that_fit(PodClassId pod_class, FitMode mode, NodeId node) const {
  int64_t portion = portion_on(pod_class, node);
  if (portion <= 0 || portion > kWholeDevice) return 0;
  Parts parts;
  for (const Device& device : usable(mode, node, portion)) parts.push_back(device.left / portion);
  return pods_over_devices({parts.data(), parts.size()},
                           (*view_->pod_classes)[pod_class].gpu_share.devices);
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
  bool has_devices = !view_->state->devices(node, mode).empty();
  bool unknown = has_devices && portion_on(pod_class, node) == 0;
  return unknown ? ReasonCode::GpuMemoryUnknown : ReasonCode::InsufficientGpuShare;
}

void GpuSharing::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                       std::span<double> out) const {
  if (!applies(pod_class)) return;
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

GpuGrant GpuSharing::grant(PodClassId pod_class, FitMode mode, NodeId node) const {
  GpuGrant grant;
  int64_t fits = pods_that_fit(pod_class, mode, node);
  if (fits == 0) return grant;
  int64_t portion = portion_on(pod_class, node);
  bool spread = view_->config->placement_strategy.gpu == Strategy::Spread;
  Devices devices = usable(mode, node, portion);
  std::sort(devices.begin(), devices.end(), [&](const Device& a, const Device& b) {
    if (a.left != b.left) return spread ? a.left > b.left : a.left < b.left;
    return std::pair(a.left_now, a.index) < std::pair(b.left_now, b.index);
  });
  Parts parts;
  for (const Device& device : devices) parts.push_back(device.left / portion);
  int64_t wanted = (*view_->pod_classes)[pod_class].gpu_share.devices;
  std::vector<bool> taken(devices.size(), false);
  for (size_t i = 0; i < devices.size() && wanted > 0; ++i) {
    taken[i] = true;
    if (!leaves_room(parts, taken, wanted - 1, fits - 1)) {
      taken[i] = false;
      continue;
    }
    --wanted;
    grant.push_back({devices[i].index, static_cast<int32_t>(portion)});
  }
  return grant;
}

}  // namespace trellis
