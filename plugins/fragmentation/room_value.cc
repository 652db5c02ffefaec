#include "plugins/fragmentation/room_value.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace trellis {
namespace {

// Found on the openb trace (bench/packing); the results depend on none of them strongly.
constexpr double kWeight = 0.03;
constexpr double kScarcest = 0.003;      // part of the free GPUs that a typical pod can use
constexpr double kCpuTight = 0.7;        // of the mean CPUs per GPU
constexpr double kWholeNodePart = 0.01;  // of the typical pods: the large ones of each kind
constexpr double kWholeWeight = 0.005;
constexpr double kWholeWeightOfMix = 1.6;  // times the square of the part of large pods

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
    if (capacity.whole > 0) all.push_back({large_pod(capacity), each});
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
    if (pod.shape.shares()) shares.push_back({pod.shape.portion, pod.part * pod.shape.devices});
  }
  return SharePrices(shares);
}

}  // namespace

RoomValue::RoomValue(std::span<const TypicalPod> pods, const RoomCounts& capacities)
    : prices_(prices_of(pods)) {
  double cpu = 0;
  double gpus = 0;
  for (const TypicalPod& pod : pods) {
    if (pod.shape.devices == 0) continue;
    cpu += pod.part * static_cast<double>(pod.shape.cpu_milli);
    gpus += pod.part * static_cast<double>(pod.shape.gpu_milli()) / kMilli;
  }
  if (gpus > 0) cpu_per_gpu_ = kCpuTight * cpu / gpus;
  double several = part_of_several_gpus(pods);
  whole_weight_ = kWholeWeight + kWholeWeightOfMix * several * several;
  for (const TypicalPod& pod : with_large_pods(pods, capacities)) {
    if (groups_.empty() || group_key(groups_.back().devices) != group_key(pod.shape)) {
      PodShape devices = pod.shape;
      devices.cpu_milli = devices.memory_bytes = 0;
      groups_.push_back({devices, part_.size(), part_.size()});
    }
    ++groups_.back().end;
    // At least 1, so that a room is divided by it.
    cpu_milli_.push_back(static_cast<double>(std::max<int64_t>(1, pod.shape.cpu_milli)));
    memory_bytes_.push_back(static_cast<double>(std::max<int64_t>(1, pod.shape.memory_bytes)));
    part_.push_back(pod.part);
  }
  weight_.assign(part_.size(), 0);
}

void RoomValue::weigh(const RoomCounts& rooms) {
  int64_t free = 0;
  std::vector<int64_t> fits(part_.size(), 0);
  for (const auto& [room, count] : rooms) {
    free += room.gpu_milli() * count;
    for (const Group& group : groups_) {
      int64_t most = room.fits(group.devices);
      for (size_t i = most > 0 ? group.begin : group.end; i < group.end; ++i) {
        double by_cpu = static_cast<double>(room.cpu_milli) / cpu_milli_[i];
        double by_memory = static_cast<double>(room.memory_bytes) / memory_bytes_[i];
        fits[i] += count * std::min(most, static_cast<int64_t>(std::min(by_cpu, by_memory)));
      }
    }
  }
  double free_gpus = static_cast<double>(std::max<int64_t>(1, free));
  for (const Group& group : groups_) {
    double gpus = static_cast<double>(group.devices.gpu_milli());
    for (size_t i = group.begin; i < group.end; ++i) {
      double usable = std::max(kScarcest, gpus * static_cast<double>(fits[i]) / free_gpus);
      weight_[i] = kWeight * part_[i] * gpus / (usable * usable);
    }
  }
}

double RoomValue::sold(const NodeRoom& room) const {
  double gpus = room.whole;
  for (int16_t part : room.parts) gpus += prices_.worth(part);
  if (cpu_per_gpu_ <= 0) return 0;
  return kMilli * soft_min(gpus, static_cast<double>(room.cpu_milli) / cpu_per_gpu_);
}

double RoomValue::weight_sum(const NodeRoom& room, const Group& group, int64_t most) const {
  double sum = 0;
  double cpu = static_cast<double>(room.cpu_milli);
  double memory = static_cast<double>(room.memory_bytes);
  int32_t places = static_cast<int32_t>(most);
  for (size_t i = group.begin; i < group.end; ++i) {
    double by_amounts = std::min(cpu / cpu_milli_[i], memory / memory_bytes_[i]);
    int32_t fits = static_cast<int32_t>(std::min(by_amounts, static_cast<double>(places)));
    sum += weight_[i] * fits;
  }
  return sum;
}

double RoomValue::of(const NodeRoom& room) const {
  int64_t free = room.gpu_milli();
  if (free <= 0 || room.cpu_milli < 0 || room.memory_bytes < 0) return 0;
  double value = sold(room);
  for (const Group& group : groups_) {
    int64_t most = room.fits(group.devices);
    if (most > 0) value += weight_sum(room, group, most);
  }
  double gpus = static_cast<double>(free) / kMilli;
  return value + whole_weight_ * gpus * gpus * kMilli / 16;
}

}  // namespace trellis
