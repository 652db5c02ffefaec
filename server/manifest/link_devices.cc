#include "server/manifest/link_devices.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/extended.h"
#include "framework/resources.h"
#include "server/manifest/link_mig_annotations.h"

namespace trellis {
namespace {

// Drivers of GPUs, and the classes of whole ones, where no class says for what it stands.
constexpr std::array<std::string_view, 2> kGpuDrivers = {"gpu.nvidia.com", "nvidia.com/gpu"};
// More than any node has, where devices may be reached from several nodes.
constexpr int64_t kAnyNumber = 1'000'000;

bool is_gpu_driver(std::string_view driver) {
  return std::ranges::find(kGpuDrivers, driver) != kGpuDrivers.end();
}

// A device that says what it is may be a part of a GPU.
bool is_whole_gpu(const devices::Device& device) {
  auto type = std::ranges::find_if(device.attributes, [](const devices::Attribute& attribute) {
    return attribute.name == "type" || attribute.name == "gpu.nvidia.com/type";
  });
  return type == device.attributes.end() || !type->value.is(cel::Kind::String) ||
         type->value.text() == "gpu";
}

class DeviceLinker {
 public:
  DeviceLinker(Records& records, FieldReader& fields)
      : records_(records), vocabulary_(fields.vocabulary()) {
    std::vector<devices::Class> classes;
    for (const DeviceClassRecord& record : records.device_classes) {
      classes.push_back(*record.device_class.device_class);
    }
    classes_ = devices::classes_by_age(std::move(classes));
    auto gpus = classes_.find(vocabulary_.resources.name(kGpu));
    if (gpus != classes_.end()) gpu_class_ = gpus->second;
    // Whether or not a pod requests them now: nodes are not read again when one does.
    for (const auto& [resource, name] : classes_) {
      ResourceId id = vocabulary_.resources.intern(resource);
      if (!ResourceTable::is_gpu(id)) served_.push_back(id);
    }
  }

  void run() {
    if (records_.device_classes.empty()) return;
    find_claims();
    for (PodRecord& pod : records_.pods) {
      if (has_finished(pod.object.pod.status)) continue;
      add_gpus(pod);
      add_extended(pod);
    }
    count_devices();
    for (NodeRecord& node : records_.nodes) add_bounds(node.node);
  }

 private:
  struct OnNode {
    int64_t devices = 0;
    int64_t gpus = 0;  // whole ones
  };

  bool is_gpu_class(std::string_view name) const {
    return name == gpu_class_ || is_gpu_driver(name);
  }

  int64_t gpus_of(const devices::Claim& claim) const {
    int64_t gpus = 0;
    for (const devices::Request& request : claim.requests) {
      if (request.alternatives.size() != 1) continue;
      const devices::Alternative& one = request.alternatives[0];
      bool counts = one.mode == devices::Mode::Count && !one.admin_access;
      if (counts && is_gpu_class(one.device_class)) gpus += one.count;
    }
    return gpus;
  }

  void find_claims() {
    for (const ResourceClaimRecord& record : records_.resource_claims) {
      const ObjectKey& key = record.meta.key;
      if (!record.meta.broken()) claims_[{key.name_space.value, key.name.value}].record = &record;
    }
    for (const PodRecord& pod : records_.pods) {
      if (!pod.claims || has_finished(pod.object.pod.status)) continue;
      for (const ResourceClaimUse& use : pod.claims->devices) {
        auto found = claims_.find({pod.object.pod.name_space.value, use.claim.value});
        if (found != claims_.end() && found->second.first == nullptr) found->second.first = &pod;
      }
    }
  }

  // A claim that pods share counts for the first of them by name.
  void add_gpus(PodRecord& pod) {
    if (!pod.object.spec->devices || !pod.claims) return;
    int64_t gpus = 0;
    for (const ResourceClaimUse& use : pod.claims->devices) {
      auto found = claims_.find({pod.object.pod.name_space.value, use.claim.value});
      bool counts = found != claims_.end() && found->second.first == &pod && !use.extended;
      if (counts) gpus += gpus_of(*found->second.record->claim);
    }
    if (gpus == 0) return;
    PodSpec& spec = pod.object.spec.edit();
    ResourceList more;
    more.set(kGpu, std::min(gpus, kMaxAmount / kMilli) * kMilli);
    spec.requests.add(more);
    if (!spec.replacement) return;
    ReplacementDemand again = *spec.replacement;
    again.requests.add(more);
    spec.replacement = SharedValue(std::move(again));
  }

  void add_extended(PodRecord& pod) {
    if (!pod.object.spec->demand || classes_.empty()) return;
    bool served = std::ranges::any_of(
        pod.object.spec->demand->containers, [&](const ContainerDemand& container) {
          return std::ranges::any_of(container.requests, [&](const ResourceAmount& item) {
            return item.amount > 0 && classes_.contains(vocabulary_.resources.name(item.resource));
          });
        });
    bool made = pod.claims && std::ranges::any_of(pod.claims->devices, &ResourceClaimUse::extended);
    if (!served || made) return;
    devices::ExtendedPod asks;
    const std::vector<ContainerDemand>& containers = pod.object.spec->demand->containers;
    for (size_t i = 0; i < containers.size(); ++i) {
      devices::ContainerRequests requests;
      bool named = pod.object.pod.containers && i < pod.object.pod.containers->names.size();
      if (named) {
        requests.name = vocabulary_.strings.view(pod.object.pod.containers->names[i]);
      }
      requests.sidecar = containers[i].kind == ContainerKind::Sidecar;
      for (const ResourceAmount& item : containers[i].requests) {
        bool gpu = ResourceTable::is_gpu(item.resource);
        requests.amounts[vocabulary_.resources.name(item.resource)] =
            gpu ? item.amount / kMilli : item.amount;
      }
      bool app = containers[i].kind == ContainerKind::App;
      (app ? asks.containers : asks.init_containers).push_back(std::move(requests));
    }
    PodSpec& spec = pod.object.spec.edit();
    PodDevices needs = spec.devices ? *spec.devices : PodDevices();
    needs.extended = SharedValue(std::move(asks));
    spec.devices = SharedValue(std::move(needs));
  }

  void count_devices() {
    for (const DeviceSliceRecord& record : records_.device_slices) {
      const devices::Slice& slice = *record.slice.slice;
      if (slice.reach.form != devices::Reach::Form::OneNode) continue;
      OnNode& node = on_node_[slice.reach.node];
      for (const devices::Device& device : slice.devices) {
        ++node.devices;
        node.gpus += is_gpu_driver(slice.driver) && is_whole_gpu(device) ? 1 : 0;
      }
    }
  }

  // Which devices serve the resource is found when a pod is placed.
  void add_bounds(Node& node) {
    auto found = on_node_.find(node.name);
    OnNode on = found == on_node_.end() ? OnNode() : found->second;
    auto add = [&](ResourceId resource, int64_t bound) {
      if (bound == 0 || node.allocatable.get(resource) > 0) return;
      node.allocatable.set(resource, bound);
      node.by_devices.push_back(resource);
    };
    bool has_class = !gpu_class_.empty();
    add(kGpu, (on.gpus > 0 ? on.gpus : has_class ? on.devices : 0) * kMilli);
    for (ResourceId resource : served_) add(resource, kAnyNumber);
    std::ranges::sort(node.by_devices);
  }

  Records& records_;
  Vocabulary& vocabulary_;
  std::map<std::string, std::string, std::less<>> classes_;  // by resource
  std::string gpu_class_;                                    // that stands for GPUs
  std::vector<ResourceId> served_;                           // without GPUs
  absl::flat_hash_map<std::string, OnNode> on_node_;
  struct Claim {
    const ResourceClaimRecord* record = nullptr;
    const PodRecord* first = nullptr;  // of its pods, by namespace and name
  };
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Claim> claims_;  // by namespace and name
};

}  // namespace

void link_devices(Records& records, FieldReader& fields) {
  link_mig_annotations(records, fields.vocabulary().resources);
  DeviceLinker(records, fields).run();
}

}  // namespace trellis
