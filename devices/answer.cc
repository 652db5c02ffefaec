// What an answer of the search says: allocations as they stand in the status of claims.
#include <algorithm>
#include <utility>

#include "devices/search.h"

namespace trellis::devices {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The one term of a selector of nodes.
void join(NodeTerm& to, const NodeTerm& term) {
  auto add = [](std::vector<NodeRequirement>& list, const std::vector<NodeRequirement>& more) {
    for (const NodeRequirement& requirement : more) {
      if (std::find(list.begin(), list.end(), requirement) == list.end()) {
        list.push_back(requirement);
      }
    }
  };
  add(to.labels, term.labels);
  add(to.names, term.names);
}

}  // namespace

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

std::optional<NodeTerm> Search::nodes_of(std::span<const Frame* const> devices) const {
  NodeTerm term;
  for (const Frame* frame : devices) {
    const Candidate& candidate = candidates_[frame->candidate];
    const Device& device = device_of(candidate);
    const Slice& slice = inventory_.slices()[inventory_.devices()[candidate.device].slice];
    const Reach& reach = candidate.per_device ? device.reach : slice.reach;
    if (reach.form == Reach::Form::OneNode || device.binds_to_node) {
      NodeTerm here;
      here.names.push_back({"metadata.name", SelectorOperator::In, {node_.name}});
      return here;
    }
    if (reach.form != Reach::Form::Selector) continue;
    for (const NodeTerm& part : reach.terms) join(term, part);
  }
  if (term.labels.empty() && term.names.empty()) return std::nullopt;
  return term;
}

void Search::add_config(uint32_t claim, std::span<const Frame* const> choices,
                        Allocation& allocation) const {
  size_t all = choices.size();
  std::vector<std::pair<const Class*, std::vector<std::string>>> classes;
  for (const Frame* choice : choices) {
    const PreparedAlternative& alternative = alternative_of(*choice);
    auto known = std::find_if(classes.begin(), classes.end(), [&](const auto& entry) {
      return entry.first == alternative.device_class;
    });
    if (known == classes.end()) {
      known = classes.emplace(known, alternative.device_class, std::vector<std::string>());
    }
    known->second.push_back(alternative.name);
  }
  for (const auto& [device_class, names] : classes) {
    for (Config config : device_class->config) {
      config.of_class = true;
      config.requests = names.size() == all ? std::vector<std::string>() : names;
      allocation.config.push_back(std::move(config));
    }
  }
  for (const Config& config : claims_[claim].claim->config) {
    size_t covered = 0;
    for (const Frame* choice : choices) {
      const PreparedAlternative& alternative = alternative_of(*choice);
      const std::string& name = claims_[claim].requests[choice->request].request->name;
      bool covers = config.requests.empty() || has(config.requests, name) ||
                    has(config.requests, alternative.name);
      covered += covers ? 1 : 0;
    }
    if (covered == 0) continue;
    Config copy = config;
    if (covered == all) copy.requests.clear();
    allocation.config.push_back(std::move(copy));
  }
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
    add_config(claim, choices, allocation);
    allocation.nodes = nodes_of(devices);
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
