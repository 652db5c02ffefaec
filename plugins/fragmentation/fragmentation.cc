#include "plugins/fragmentation/fragmentation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "framework/gpu_share.h"
#include "plugins/fragmentation/given_mix.h"
#include "plugins/scores/density.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

constexpr std::string_view kModelLabel = "nvidia.com/gpu.product";
constexpr const char* kName = "fragmentation";
constexpr int64_t kNever = int64_t{1} << 50;
constexpr int64_t kFirstTypical = 20;  // arrivals
constexpr int64_t kMostBetweenTypical = 1000;
constexpr int64_t kBetweenWeights = 200;
constexpr int64_t kNodesPerArrival = 8;  // large clusters are weighed less often
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// From 0 to 1; a half: nothing is lost.
double kept_part(double lost_gpus) { return (1 - lost_gpus / (1 + std::abs(lost_gpus))) / 2; }

}  // namespace

void Fragmentation::open(const View& view, Hooks& hooks) {
  view_ = &view;
  if (view.config->placement_strategy.gpu != Strategy::Fragmentation) return;
  StrId label = view.vocabulary->strings.find(kModelLabel);
  if (label != model_label_) rooms_.restart();
  model_label_ = label;
  hooks.node_scorers.push_back({this, name(), view.config->plugin(kName).weight});
  hooks.arrival_listener.supply(this, name());
}

int32_t Fragmentation::model_bit(StrId model) const {
  return models_.bit(model, view_->vocabulary->strings);
}

int32_t Fragmentation::model_of(NodeId node) const {
  return model_bit(find_label((*view_->nodes)[node].labels, model_label_));
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

// The names of models get their bits in alphabetical order, whatever the order of the input: of all
// nodes first, then those that arriving pods name.
void Fragmentation::name_models(std::span<const PodClassId> pod_classes) {
  const StringTable& strings = view_->vocabulary->strings;
  std::vector<std::string_view> names;
  auto name_all = [&] {
    std::ranges::sort(names);
    for (std::string_view name : names) models_.bit(name);
    names.clear();
  };
  if (models_.names().empty()) {
    for (NodeId node(0U); node.value < view_->nodes->size(); ++node.value) {
      StrId model = find_label((*view_->nodes)[node].labels, model_label_);
      if (model.valid()) names.push_back(strings.view(model));
    }
    name_all();
  }
  for (PodClassId pod_class : pod_classes) {
    const PodSpec& spec = (*view_->pod_classes)[pod_class];
    StrId model = find_label(spec.node_selector, model_label_);
    if (model.valid()) names.push_back(strings.view(model));
    for (const SelectorTerm& term : spec.required_affinity) {
      for (const Requirement& requirement : term.labels) {
        if (requirement.key != model_label_ || requirement.op != SelectorOp::In) continue;
        for (StrId value : requirement.values) names.push_back(strings.view(value));
      }
    }
  }
  name_all();
}

int32_t Fragmentation::portion_on(const GpuShare& share, NodeId node) const {
  int64_t portion = share_portion(share, (*view_->nodes)[node]);
  return static_cast<int32_t>(portion > 0 ? std::min(portion, kMilli) : kMilli);
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
    shape.devices = counted_gpus(spec.requests.get(kGpu) + kMilli - 1);
  }
  if (shape.devices > 0) shape.models = models_of(spec);
  return shape;
}

RoomCounts Fragmentation::capacities() const {
  RoomCounts capacities;
  const auto& allocatable = view_->state->allocatable;
  for (size_t i = 0; i < allocatable[kGpu].size(); ++i) {
    NodeId node(i);
    if (allocatable[kGpu][node] <= 0 || is_closed((*view_->nodes)[node])) continue;
    NodeRoom room;
    room.cpu_milli = allocatable[kCpu][node];
    room.memory_bytes = allocatable[kMemory][node];
    room.whole = counted_gpus(allocatable[kGpu][node]);
    room.model = model_of(node);
    ++capacities[room];
  }
  return capacities;
}

// True: there are new typical pods.
bool Fragmentation::renew_typical() {
  const PluginConfig config = view_->config->plugin(kName);
  int64_t count = mix_.arrived();
  bool given = has_given_mix(config);
  if (given ? next_typical_ == kNever : count < std::max(kFirstTypical, next_typical_))
    return false;
  value_ = RoomValue(given ? given_mix(config, models_) : mix_.typical(), capacities());
  next_typical_ = given ? kNever : count + std::min(count / 2, kMostBetweenTypical);
  return true;
}

void Fragmentation::arrived(std::span<const PodClassId> pod_classes) {
  if (model_label_.valid()) name_models(pod_classes);
  for (PodClassId pod_class : pod_classes) mix_.arrive(shape_of((*view_->pod_classes)[pod_class]));
  if (std::exchange(recalled_, false)) mix_.end_recall();
  mix_.fade();
  bool scored_by_value = !value_.typical().empty();
  int64_t count = mix_.arrived();
  if (!renew_typical() && (next_weights_ == 0 || count < next_weights_)) return;
  rooms_.follow(*view_, model_label_, models_);
  value_.weigh(rooms_.counts(*view_->nodes));
  int64_t nodes = static_cast<int64_t>(view_->nodes->size());
  next_weights_ = count + std::max(kBetweenWeights, nodes / kNodesPerArrival);
  // Without pods and nodes with GPUs there are no typical pods, and no score changes.
  if (scored_by_value || !value_.typical().empty()) ++epoch_;
}

LearnedMix Fragmentation::learned(std::span<const PodClassId> present) const {
  std::vector<PodShape> shapes;
  for (PodClassId pod_class : present) shapes.push_back(shape_of((*view_->pod_classes)[pod_class]));
  std::span<const TypicalPod> typical = value_.typical();
  return {models_.names(), mix_.counts(shapes), {typical.begin(), typical.end()},
          mix_.arrived(),  next_typical_,       next_weights_};
}

// Whether these are the typical pods that the configuration gives.
bool Fragmentation::are_given(std::span<const TypicalPod> typical) {
  RoomValue given(given_mix(view_->config->plugin(kName), models_), capacities());
  return std::ranges::equal(given.typical(), typical, [](const auto& a, const auto& b) {
    return a.shape == b.shape && a.part == b.part && a.large == b.large;
  });
}

void Fragmentation::recall(const LearnedMix& mix) {
  if (models_.recall(mix.models)) rooms_.restart();
  mix_.recall(mix.arrived, mix.pods);
  recalled_ = true;
  next_typical_ = mix.next_typical;
  next_weights_ = mix.next_weights;
  if (std::ranges::equal(value_.typical(), mix.typical)) return;
  bool given = has_given_mix(view_->config->plugin(kName));
  if (given ? !are_given(mix.typical) : next_typical_ == kNever) {
    next_typical_ = 0;
    return;
  }
  value_ = RoomValue(mix.typical);
  ++epoch_;
}

bool Fragmentation::distinguishes(PodClassId pod_class, FitMode) const {
  return (*view_->pod_classes)[pod_class].requests.get(kAmdGpu) == 0;
}

// Whether devices that pods already share hold a share.
bool Fragmentation::shared_holds(const GpuShare& share, NodeId node) const {
  int64_t portion = share_portion(share, (*view_->nodes)[node]);
  std::span<const int64_t> devices = view_->state->devices(node, FitMode::Now);
  auto holding = std::ranges::count_if(
      devices, [&](int64_t left) { return left < kWholeDevice && left >= portion; });
  return portion > 0 && holding >= share.devices;
}

// Before anything is known about the pods that are likely to come, nodes are packed, and devices
// that pods already share are filled first.
void Fragmentation::score_density(const PodSpec& spec, std::span<const NodeId> nodes, double weight,
                                  std::span<double> out) const {
  ResourceId resource = packed_resource(spec);
  Strategy strategy = resource == kGpu ? Strategy::Binpack : view_->config->placement_strategy.cpu;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (resource != kGpu && view_->state->allocatable[kGpu][nodes[i]] <= 0) continue;
    double score = density_score(*view_->state, resource, strategy, nodes[i]);
    if (spec.gpu_share.active() && shared_holds(spec.gpu_share, nodes[i]))
      score += kGpuSharingScore;
    out[i] += weight * score;
  }
}

void Fragmentation::follow_rooms() const {
  rooms_.follow(*view_, model_label_, models_);
  if (values_of_ != rooms_.generation()) losses_.clear();
  if (values_of_ != rooms_.generation() || values_epoch_ != epoch_) values_.clear();
  values_of_ = rooms_.generation();
  values_epoch_ = epoch_;
  values_.resize(rooms_.size(), kUnknown);
  losses_.resize(rooms_.size());
}

double Fragmentation::loss(NodeRooms::RoomId room, const PodShape& shape) const {
  double& value = values_[room];
  if (std::isnan(value)) value = value_.of(rooms_.room(room));
  return value - value_.of(rooms_.room(room).without(shape));
}

void Fragmentation::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                          std::span<double> out) const {
  if (!distinguishes(pod_class, FitMode::Future)) return;
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  if (value_.typical().empty()) return score_density(spec, nodes, weight, out);
  follow_rooms();
  ++scoring_;
  PodShape shape = shape_of(spec);
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeRooms::RoomId room = rooms_.id_of(nodes[i]);
    Loss& known = losses_[room];
    // A share by memory is another portion on other nodes.
    bool by_memory = spec.gpu_share.memory_mib > 0 && room != NodeRooms::kNoGpus;
    if (by_memory) shape.portion = portion_on(spec.gpu_share, nodes[i]);
    if (known.scoring != scoring_ || by_memory) {
      known = {scoring_, room == NodeRooms::kNoGpus ? 0 : loss(room, shape)};
    }
    out[i] += weight * kFragmentationScore * kept_part(known.milli / kMilli);
  }
}

}  // namespace trellis
