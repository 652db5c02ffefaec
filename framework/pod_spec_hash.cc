#include "framework/pod_spec_hash.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace trellis {
namespace {

class Hasher {
 public:
  void mix(const ResourceList& amounts) {
    for (const ResourceAmount& item : amounts.items()) {
      mix(uint64_t{item.resource.value});
      mix(static_cast<uint64_t>(item.amount));
    }
  }
  void mix(uint64_t value) {
    state_ ^= value + 0x9e3779b97f4a7c15ULL + (state_ << 6) + (state_ >> 2);
    state_ *= 0xff51afd7ed558ccdULL;
  }
  void mix(StrId id) { mix(uint64_t{id.value}); }
  void mix(const Requirement& requirement) {
    mix(requirement.key);
    mix(static_cast<uint64_t>(requirement.op));
    for (StrId value : requirement.values) mix(value);
  }
  void mix(const SelectorTerm& term) {
    for (const Requirement& requirement : term.labels) mix(requirement);
    mix(uint64_t{1});
    for (const Requirement& requirement : term.fields) mix(requirement);
  }
  void mix(const PodTerm& term, uint64_t role) {
    mix(role);
    mix(term.key);
    mix(uint64_t{term.selector.value});
  }
  void mix(const PodVolumes& volumes) {
    for (const auto& terms : volumes.affinities) {
      for (const SelectorTerm& term : terms) mix(term);
    }
    for (const Requirement& zone : volumes.zones) mix(zone);
    for (const VolumeHandle& volume : volumes.attached) mix(volume.driver), mix(volume.handle);
    for (const WaitingClaim& claim : volumes.waiting) {
      mix(claim.need.storage_class);
      mix(static_cast<uint64_t>(claim.need.bytes));
      mix(claim.name);
      mix(claim.node);
    }
    for (StrId claim : volumes.exclusive) mix(claim);
    for (const InlineDisk& disk : volumes.disks) mix(disk.name);
  }
  void mix(std::string_view text) { mix(uint64_t{std::hash<std::string_view>()(text)}); }
  void mix(const PodDevices& devices) {
    mix(uint64_t{devices.needs.size()});
    mix(std::string_view(devices.domain));
    for (const DeviceNeed& need : devices.needs) {
      mix(need.name);
      for (const devices::Request& request : need.claim->requests) {
        mix(std::string_view(request.name));
        for (const devices::Alternative& alternative : request.alternatives) {
          mix(std::string_view(alternative.device_class));
          mix(static_cast<uint64_t>(alternative.count));
          for (const std::string& selector : alternative.selectors) mix(std::string_view(selector));
        }
      }
    }
  }
  size_t state() const { return state_; }

 private:
  uint64_t state_ = 0x2545f4914f6cdd1dULL;
};

}  // namespace

size_t hash_of(const PodSpec& spec) {
  Hasher hasher;
  hasher.mix(spec.requests);
  hasher.mix(static_cast<uint64_t>(spec.gpu_share.portion_milli));
  hasher.mix(static_cast<uint64_t>(spec.gpu_share.memory_mib));
  for (const Label& label : spec.node_selector) hasher.mix(label.key), hasher.mix(label.value);
  for (const SelectorTerm& term : spec.required_affinity) hasher.mix(term);
  for (const SelectorTerm& term : spec.claim_terms) hasher.mix(term);
  for (const PreferredTerm& preferred : spec.preferred_affinity) {
    hasher.mix(static_cast<uint64_t>(preferred.weight));
    hasher.mix(preferred.term);
  }
  for (const Toleration& toleration : spec.tolerations) {
    hasher.mix(toleration.key), hasher.mix(toleration.value);
  }
  for (const PodTerm& term : spec.pod_affinity) hasher.mix(term, 1);
  for (const PodTerm& term : spec.pod_anti_affinity) hasher.mix(term, 2);
  for (const WeightedPodTerm& weighted : spec.preferred_pods) {
    hasher.mix(weighted.term, static_cast<uint64_t>(weighted.weight));
  }
  for (const SpreadConstraint& constraint : spec.spread) {
    hasher.mix(constraint.key);
    hasher.mix(static_cast<uint64_t>(constraint.max_skew));
    hasher.mix(uint64_t{constraint.selector.value});
  }
  for (PodSelectorId selector : spec.matched) hasher.mix(uint64_t{selector.value});
  if (spec.demand) {
    hasher.mix(static_cast<uint64_t>(spec.demand->qos));
    hasher.mix(spec.demand->zone_group);
    for (const ContainerDemand& container : spec.demand->containers) {
      hasher.mix(static_cast<uint64_t>(container.kind));
      for (const ResourceAmount& item : container.requests) {
        hasher.mix(uint64_t{item.resource.value});
        hasher.mix(static_cast<uint64_t>(item.amount));
      }
    }
  }
  hasher.mix(spec.placement.service);
  hasher.mix(static_cast<uint64_t>(spec.placement.max_pods_per_node));
  for (const PlacementPreference& one : spec.placement.list) {
    hasher.mix(static_cast<uint64_t>(one.way));
    hasher.mix(one.label);
    hasher.mix(uint64_t{one.resource.value});
  }
  for (const HostPort& port : spec.host_ports) hasher.mix(static_cast<uint64_t>(port.port));
  hasher.mix(uint64_t{spec.features.bits});
  if (spec.volumes) hasher.mix(*spec.volumes);
  if (spec.devices) hasher.mix(*spec.devices);
  if (spec.replacement) hasher.mix(spec.replacement->requests);
  return hasher.state();
}

}  // namespace trellis
