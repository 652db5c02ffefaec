#include "plugins/fragmentation/room_value.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "plugins/fragmentation/room_value_kernels.h"

namespace trellis {
namespace {

// Found on the openb trace (bench/packing); the results depend on none of them strongly.
constexpr double kWeight = 0.03;
constexpr double kScarcest = 0.003;      // part of the free GPUs that a typical pod can use
constexpr double kCpuTight = 0.7;        // of the mean CPUs per GPU
constexpr double kWholeNodePart = 0.01;  // of the typical pods: the large ones of each kind
constexpr double kWholeWeight = 0.005;
constexpr double kWholeWeightOfMix = 1.6;  // times the square of the part of large pods
// Parts of the free GPUs that typical pods can use, below which the cluster counts as worn.
constexpr double kWornNodes = 0.4;
constexpr double kWornDevices = 0.1;
constexpr double kMostWorn = 4;
constexpr double kLeastPriced = 0.25;

// Close to the smaller of two amounts, without a bend where they are equal.
double soft_min(double a, double b) {
  if (a <= 0 || b <= 0) return 0;
  double x = 1 / (a * a);
  double y = 1 / (b * b);
  return 1 / std::sqrt(std::cbrt(x * x * x + y * y * y));
}

// A pod that takes nine tenths of an empty node, with all its GPUs.
PodShape large_pod(const NodeRoom& capacity) {
  PodShape shape;
  shape.cpu_milli = capacity.cpu_milli * 9 / 10;
  shape.memory_bytes = capacity.memory_bytes * 9 / 10;
  shape.devices = capacity.whole;
  shape.models = GpuModels{1} << capacity.model;
  return shape;
}

auto group_key(const PodShape& shape) {
  return std::tuple(shape.devices, shape.portion, shape.models);
}

double part_of_several_gpus(std::span<const TypicalPod> pods) {
  double several = 0;
  double all = 0;
  for (const TypicalPod& pod : pods) {
    if (pod.large) continue;
    double gpus = pod.part * static_cast<double>(pod.shape.gpu_milli());
    all += gpus;
    if (pod.shape.devices > 1) several += gpus;
  }
  return all > 0 ? several / all : 0;
}

std::vector<TypicalPod> with_large_pods(std::span<const TypicalPod> pods,
                                        const RoomCounts& capacities) {
  std::vector<TypicalPod> all;
  for (const TypicalPod& pod : pods) {
    if (pod.shape.devices > 0) all.push_back({pod.shape, pod.part * (1 - kWholeNodePart)});
  }
  double each = kWholeNodePart / static_cast<double>(std::max<size_t>(1, capacities.size()));
  for (const auto& [capacity, count] : capacities) {
    if (capacity.whole > 0) all.push_back({large_pod(capacity), each, 0, true});
  }
  // The map's order carries no meaning, and sums depend on the order.
  std::sort(all.begin(), all.end(), [](const TypicalPod& a, const TypicalPod& b) {
    return std::tuple(group_key(a.shape), a.shape, a.part) <
           std::tuple(group_key(b.shape), b.shape, b.part);
  });
  return all;
}

SharePrices prices_of(std::span<const TypicalPod> pods) {
  std::vector<ShareDemand> shares;
  for (const TypicalPod& pod : pods) {
    if (!pod.large && pod.shape.shares())
      shares.push_back({pod.shape.portion, pod.part * pod.shape.devices});
  }
  return SharePrices(shares);
}

}  // namespace

RoomValue::RoomValue(std::span<const TypicalPod> pods, const RoomCounts& capacities)
    : RoomValue(with_large_pods(pods, capacities)) {}

RoomValue::RoomValue(std::vector<TypicalPod> typical)
    : prices_(prices_of(typical)), typical_(std::move(typical)) {
  double cpu = 0;
  double gpus = 0;
  for (const TypicalPod& pod : typical_) {
    if (pod.large) continue;
    cpu += pod.part * static_cast<double>(pod.shape.cpu_milli);
    gpus += pod.part * static_cast<double>(pod.shape.gpu_milli()) / kMilli;
  }
  if (gpus > 0) cpu_per_gpu_ = kCpuTight * cpu / gpus;
  several_ = part_of_several_gpus(typical_);
  judge_wear();
  make_columns();
}

void RoomValue::make_columns() {
  for (size_t i = 0; i < typical_.size(); ++i) {
    const PodShape& shape = typical_[i].shape;
    if (groups_.empty() || group_key(groups_.back().devices) != group_key(shape)) {
      PodShape devices = shape;
      devices.cpu_milli = devices.memory_bytes = 0;
      groups_.push_back({devices, i, i});
    }
    ++groups_.back().end;
    // At least 1, so that a room is divided by it.
    auto inverse = [](int64_t amount) {
      return kAboveOne / static_cast<double>(std::max<int64_t>(1, amount));
    };
    cpu_milli_.push_back(inverse(shape.cpu_milli));
    memory_bytes_.push_back(inverse(shape.memory_bytes));
    weight_.push_back(typical_[i].weight);
  }
  for (const Group& group : groups_) {
    const PodShape& shape = group.devices;
    int64_t places = kMilli / shape.portion;
    whole_places_.push_back(static_cast<float>(places));
    bool shares = shape.shares();  // else no part of a device is of use
    portion_.push_back(shares ? kAboveOneFloat / static_cast<float>(shape.portion) : 0);
    devices_.push_back(kAboveOneFloat / static_cast<float>(shape.devices));
  }
  group_fits_.resize(groups_.size());
  size_t lanes = (typical_.size() + kLanes - 1) / kLanes * kLanes;
  for (auto* column : {&cpu_milli_, &memory_bytes_, &weight_, &pod_fits_}) column->resize(lanes, 0);
}

void RoomValue::count_fits(const NodeRoom& room) const {
  for (size_t i = 0; i < groups_.size(); ++i) {
    group_fits_[i] = static_cast<float>(room.whole) * whole_places_[i];
  }
  for (int16_t part : room.parts) add_places(portion_, part, group_fits_);
  divide_places(devices_, group_fits_);
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    bool of_use = (group.devices.models >> room.model & 1) != 0;
    double fits = of_use ? static_cast<double>(group_fits_[i]) : 0;
    for (size_t pod = group.begin; pod < group.end; ++pod) pod_fits_[pod] = fits;
  }
  lower_counts(cpu_milli_, static_cast<double>(std::max<int64_t>(0, room.cpu_milli)), pod_fits_);
  lower_counts(memory_bytes_, static_cast<double>(std::max<int64_t>(0, room.memory_bytes)),
               pod_fits_);
}

void RoomValue::weigh(const RoomCounts& rooms) {
  int64_t free = 0;
  std::vector<int64_t> fits(typical_.size(), 0);
  for (const auto& [room, count] : rooms) {
    free += room.gpu_milli() * count;
    count_fits(room);
    for (size_t i = 0; i < fits.size(); ++i) fits[i] += count * static_cast<int64_t>(pod_fits_[i]);
  }
  double free_gpus = static_cast<double>(std::max<int64_t>(1, free));
  for (size_t i = 0; i < fits.size(); ++i) {
    TypicalPod& pod = typical_[i];
    double gpus = static_cast<double>(pod.shape.gpu_milli());
    double usable = std::max(kScarcest, gpus * static_cast<double>(fits[i]) / free_gpus);
    weight_[i] = pod.weight = kWeight * pod.part * gpus / (usable * usable);
  }
  judge_wear();
}

// What the weights say, so that they are all that has to be kept.
void RoomValue::judge_wear() {
  double requested = 0;
  double usable = 0;
  double requested_several = 0;
  double usable_several = 0;
  for (const TypicalPod& pod : typical_) {
    if (pod.large || pod.weight <= 0) continue;
    double gpus = pod.part * static_cast<double>(pod.shape.gpu_milli());
    double part = std::sqrt(kWeight * gpus / pod.weight);
    requested += gpus;
    usable += gpus * part;
    if (pod.shape.devices <= 1) continue;
    requested_several += gpus;
    usable_several += gpus * part;
  }
  double worn = usable_several > 0 ? kWornNodes * requested_several / usable_several : 1;
  whole_weight_ =
      kWholeWeight + kWholeWeightOfMix * several_ * several_ * std::min(worn, kMostWorn);
  priced_ = 1;
  if (requested > 0) priced_ = std::clamp(usable / requested / kWornDevices, kLeastPriced, 1.0);
}

double RoomValue::sold(const NodeRoom& room) const {
  double gpus = room.whole;
  for (int16_t part : room.parts) {
    gpus += priced_ * prices_.worth(part) + (1 - priced_) * part / kMilli;
  }
  if (cpu_per_gpu_ <= 0) return 0;
  return kMilli * soft_min(gpus, static_cast<double>(room.cpu_milli) / cpu_per_gpu_);
}

double RoomValue::of(const NodeRoom& room) const {
  int64_t free = room.gpu_milli();
  if (free <= 0 || room.cpu_milli < 0 || room.memory_bytes < 0) return 0;
  count_fits(room);
  double gpus = static_cast<double>(free) / kMilli;
  return sold(room) + weighted_sum(weight_, pod_fits_) + whole_weight_ * gpus * gpus * kMilli / 16;
}

}  // namespace trellis
