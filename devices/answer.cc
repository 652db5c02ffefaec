// What an answer of the search says: allocations as they stand in the status of claims.
#include <utility>

#include "devices/completion.h"
#include "devices/search.h"

namespace trellis::devices {
Result Search::result_of(const Frame& frame) const {
  const Candidate& candidate = candidates_[frame.candidate];
  const Device& device = device_of(candidate);
  const PreparedAlternative& alternative = alternative_of(frame);
  Result result;
  result.request = alternative.name;
  result.id = inventory_.devices()[candidate.device].id;
  result.admin_access = alternative.alternative->admin_access;
  result.tolerations = alternative.alternative->tolerations;
  result.shared = device.shared;
  if (device.shared) result.consumed = frame.share;
  result.binding_conditions = device.binding_conditions;
  result.binding_failures = device.binding_failures;
  return result;
}

std::vector<Allocation> Search::allocations() const {
  std::vector<Allocation> allocations(claims_.size());
  for (uint32_t claim = 0; claim < claims_.size(); ++claim) {
    std::vector<const Frame*> choices;
    std::vector<const Frame*> devices;
    for (const Frame& frame : frames_) {
      if (frame.claim != claim) continue;
      (frame.place < 0 ? choices : devices).push_back(&frame);
    }
    Allocation& allocation = allocations[claim];
    for (const Frame* frame : devices) allocation.results.push_back(result_of(*frame));
    std::vector<ChosenRequest> chosen;
    for (const Frame* choice : choices) {
      const PreparedAlternative& alternative = alternative_of(*choice);
      const Request* request = claims_[claim].requests[choice->request].request;
      chosen.push_back({request, alternative.alternative, alternative.name});
    }
    allocation.config = configuration_of(*claims_[claim].claim, chosen, inventory_);
    std::vector<DeviceIndex> used;
    for (const Frame* frame : devices) used.push_back(candidates_[frame->candidate].device);
    allocation.nodes = nodes_of(used, node_.node(), inventory_);
  }
  return allocations;
}

std::vector<DeviceIndex> Search::chosen_devices() const {
  std::vector<DeviceIndex> chosen;
  for (const Frame& frame : frames_) {
    if (frame.place >= 0) chosen.push_back(candidates_[frame.candidate].device);
  }
  return chosen;
}

std::vector<uint32_t> Search::alternatives() const {
  std::vector<uint32_t> chosen;
  for (const Frame& frame : frames_) {
    bool has_names = frame.place < 0 && !alternative_of(frame).alternative->name.empty();
    if (has_names) chosen.push_back(frame.alternative);
  }
  return chosen;
}

}  // namespace trellis::devices
