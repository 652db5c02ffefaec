#include "plugins/gpusharing/gpusharing.h"

#include <algorithm>

#include "framework/gpu_share.h"
#include "plugins/score_magnitudes.h"

namespace trellis {
namespace {

constexpr int64_t kWholeDevice = kMilli;

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

int64_t GpuSharing::pods_that_fit(PodClassId pod_class, FitMode mode, NodeId node) const {
  int64_t portion = portion_on(pod_class, node);
  if (portion <= 0 || portion > kWholeDevice) return 0;
  // Whole pods hold devices that have no number: as many of the unshared ones are not free.
  int64_t unshared = view_->state->columns(mode)[kGpu][node] / kWholeDevice;
  boost::container::small_vector<int64_t, 16> parts;
  for (int64_t left : view_->state->devices(node, mode)) {
    if (left == kWholeDevice && unshared-- <= 0) continue;
    parts.push_back(std::max<int64_t>(0, left) / portion);
  }
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
  if (pods_that_fit(pod_class, mode, node) == 0) return grant;
  int64_t portion = portion_on(pod_class, node);
  std::span<const int64_t> devices = view_->state->devices(node, mode);
  bool spread = view_->config->placement_strategy.gpu == Strategy::Spread;
  boost::container::small_vector<int32_t, 16> order;
  int64_t unshared = view_->state->columns(mode)[kGpu][node] / kWholeDevice;
  for (size_t device = 0; device < devices.size(); ++device) {
    if (devices[device] == kWholeDevice && unshared-- <= 0) continue;
    if (devices[device] >= portion) order.push_back(static_cast<int32_t>(device));
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    int64_t x = devices[static_cast<size_t>(a)];
    int64_t y = devices[static_cast<size_t>(b)];
    return spread ? x > y : x < y;
  });
  int32_t wanted = (*view_->pod_classes)[pod_class].gpu_share.devices;
  for (int32_t i = 0; i < wanted; ++i) {
    grant.push_back({order[static_cast<size_t>(i)], static_cast<int32_t>(portion)});
  }
  return grant;
}

}  // namespace trellis
