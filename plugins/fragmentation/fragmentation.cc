#include "plugins/fragmentation/fragmentation.h"

#include <algorithm>
#include <cmath>

#include "framework/gpu_share.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

constexpr std::string_view kModelLabel = "nvidia.com/gpu.product";
constexpr int32_t kNoModel = 62;
constexpr int32_t kOtherModel = 63;
constexpr int64_t kFirstTable = 20;  // arrivals
constexpr int64_t kMostBetweenTables = 1000;
constexpr int64_t kBetweenWeights = 200;
constexpr int64_t kNodesPerArrival = 8;  // large clusters are weighed less often
constexpr size_t kMostKnownValues = size_t{1} << 16;

// From 0 to 1; a half: nothing is lost.
double kept_part(double lost_gpus) { return (1 - lost_gpus / (1 + std::abs(lost_gpus))) / 2; }

}  // namespace

void Fragmentation::open(const View& view, Hooks& hooks) {
  view_ = &view;
  if (view.config->placement_strategy.gpu != Strategy::Fragmentation) return;
  model_label_ = view.vocabulary->strings.find(kModelLabel);
  hooks.node_scorers.push_back({this, name(), view.config->plugin("fragmentation").weight});
  hooks.arrival_listeners.push_back({this, name()});
}

int32_t Fragmentation::model_bit(StrId model) const {
  if (!model.valid()) return kNoModel;
  int32_t next = static_cast<int32_t>(model_bits_.size());
  return model_bits_.try_emplace(model.value, std::min(next, kOtherModel)).first->second;
}

// The models that the pod's node selector and required affinity leave.
GpuModels Fragmentation::models_of(const PodSpec& spec) const {
  if (!model_label_.valid()) return kAnyModel;
  if (StrId model = find_label(spec.node_selector, model_label_); model.valid()) {
    return GpuModels{1} << model_bit(model);
  }
  GpuModels models = 0;
  for (const SelectorTerm& term : spec.required_affinity) {
    GpuModels of_term = kAnyModel;
    for (const Requirement& requirement : term.labels) {
      if (requirement.key != model_label_ || requirement.op != SelectorOp::In) continue;
      GpuModels allowed = 0;
      for (StrId model : requirement.values) allowed |= GpuModels{1} << model_bit(model);
      of_term &= allowed;
    }
    models |= of_term;
  }
  return models == 0 ? kAnyModel : models;
}

// A share by memory has a portion only on a node: until then it counts as a whole device.
PodShape Fragmentation::shape_of(const PodSpec& spec) const {
  PodShape shape;
  shape.cpu_milli = spec.requests.get(kCpu);
  shape.memory_bytes = spec.requests.get(kMemory);
  if (spec.gpu_share.active()) {
    shape.devices = spec.gpu_share.devices;
    if (spec.gpu_share.portion_milli > 0) shape.portion = spec.gpu_share.portion_milli;
  } else {
    shape.devices = static_cast<int32_t>((spec.requests.get(kGpu) + kMilli - 1) / kMilli);
  }
  if (shape.devices > 0) shape.models = models_of(spec);
  return shape;
}

PodShape Fragmentation::shape_on(PodClassId pod_class, NodeId node) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  PodShape shape = shape_of(spec);
  if (spec.gpu_share.memory_mib > 0) {
    int64_t portion = share_portion(spec.gpu_share, (*view_->nodes)[node]);
    if (portion > 0) shape.portion = static_cast<int32_t>(std::min(portion, kMilli));
  }
  return shape;
}

NodeRoom Fragmentation::room_of(NodeId node) const {
  const NodeState& state = *view_->state;
  NodeRoom room;
  room.cpu_milli = state.future[kCpu][node];
  room.memory_bytes = state.future[kMemory][node];
  room.whole = static_cast<int32_t>(std::max<int64_t>(0, state.future[kGpu][node]) / kMilli);
  for (int64_t left : state.devices(node, FitMode::Future)) {
    if (left > 0 && left < kWholeDevice) room.parts.push_back(static_cast<int16_t>(left));
  }
  std::sort(room.parts.begin(), room.parts.end());
  room.model = model_bit(find_label((*view_->nodes)[node].labels, model_label_));
  return room;
}

RoomCounts Fragmentation::rooms() const {
  RoomCounts rooms;
  const NodeState::Column& gpus = view_->state->allocatable[kGpu];
  for (size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[NodeId(i)] <= 0) continue;
    const NodeRoom room = room_of(NodeId(i));
    ++rooms[room];
  }
  return rooms;
}

RoomCounts Fragmentation::capacities() const {
  RoomCounts capacities;
  const auto& allocatable = view_->state->allocatable;
  for (size_t i = 0; i < allocatable[kGpu].size(); ++i) {
    NodeId node(i);
    if (allocatable[kGpu][node] <= 0) continue;
    NodeRoom room;
    room.cpu_milli = allocatable[kCpu][node];
    room.memory_bytes = allocatable[kMemory][node];
    room.whole = static_cast<int32_t>(allocatable[kGpu][node] / kMilli);
    room.model = model_bit(find_label((*view_->nodes)[node].labels, model_label_));
    ++capacities[room];
  }
  return capacities;
}

void Fragmentation::arrived(std::span<const PodClassId> pod_classes) {
  for (PodClassId pod_class : pod_classes) mix_.arrive(shape_of((*view_->pod_classes)[pod_class]));
  int64_t count = mix_.arrived();
  bool table_due = count >= std::max(kFirstTable, next_table_);
  if (table_due) {
    value_ = RoomValue(mix_.typical(), capacities());
    next_table_ = count + std::min(count / 2, kMostBetweenTables);
  }
  if (!table_due && (next_weights_ == 0 || count < next_weights_)) return;
  value_.weigh(rooms());
  int64_t nodes = static_cast<int64_t>(view_->nodes->size());
  next_weights_ = count + std::max(kBetweenWeights, nodes / kNodesPerArrival);
  known_values_.clear();
  ++epoch_;
}

bool Fragmentation::tells_apart(PodClassId pod_class, FitMode) const {
  return (*view_->pod_classes)[pod_class].requests.get(kAmdGpu) == 0;
}

double Fragmentation::value_of(const NodeRoom& room) const {
  if (known_values_.size() > kMostKnownValues) known_values_.clear();
  auto [entry, is_new] = known_values_.try_emplace(room, 0);
  if (is_new) entry->second = value_.of(room);
  return entry->second;
}

void Fragmentation::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                          std::span<double> out) const {
  if (!tells_apart(pod_class, FitMode::Future)) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    double lost = 0;
    if (view_->state->allocatable[kGpu][nodes[i]] > 0) {
      NodeRoom room = room_of(nodes[i]);
      lost = value_of(room) - value_of(room.without(shape_on(pod_class, nodes[i])));
    }
    out[i] += weight * kFragmentationScore * kept_part(lost / kMilli);
  }
}

}  // namespace trellis
