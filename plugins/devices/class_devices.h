// What is known of a pod class: which devices of each node serve its claims.
//
// Cost: a node is looked at when it is first asked for.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "devices/alike_devices.h"
#include "devices/extended.h"
#include "framework/device_claims.h"
#include "framework/node.h"
#include "framework/vocabulary.h"
#include "plugins/devices/device_ledger.h"
#include "plugins/devices/device_map.h"

namespace trellis {

class ClassDevices {
 public:
  using Plan = devices::AlikeDevices;

  ClassDevices(const DeviceMap& map, const PodDevices& needs);

  // A need on a node.
  DeviceLedger::Asked asked(size_t need, NodeId node);
  // The claim for extended resources on a node; null: a resource is not to be had there.
  const devices::Claim* extended(const Node& node, const Vocabulary& vocabulary);
  // Whether the need can be met nowhere.
  bool fails(size_t need) const { return fails_[need]; }
  // The same of its extended resources.
  bool extended_fails() const { return extended_fails_; }
  // Whether devices that several nodes reach may serve it.
  bool shares() const { return shares_; }
  // Whether other pods have a claim of it, too.
  bool names() const { return names_; }

  // A text of all that decides about its claims on the node, equal for nodes that are alike; "":
  // the node is like no other. With a ledger also what is taken.
  std::string likeness(NodeId node, const DeviceLedger* ledger) const;
  // Whether its claims have requests at all.
  bool takes_devices() const { return requests_; }
  // So many pods were found when `most` were asked about.
  struct Known {
    int64_t pods = 0;
    int64_t most = 0;
  };
  // By likeness.
  std::map<std::string, Known>& counts() { return counts_; }
  // By node, claims and DeviceLedger::state_of(). Of one cycle, as claims are named by address.
  absl::flat_hash_map<std::string, Known>& states() { return states_; }
  std::map<std::string, ReasonCode>& reasons() { return reasons_; }

 private:
  struct NodeNeed {
    Plan plan;
    std::vector<DeviceLedger::RequestDevices> requests;
  };

  std::vector<DeviceLedger::RequestDevices> requests_on(const devices::Claim& claim,
                                                        NodeId node) const;
  // False: the claim can be allocated nowhere.
  bool prepare(const devices::Claim& claim);

  const DeviceMap& map_;
  const PodDevices& needs_;
  std::vector<std::vector<std::unique_ptr<NodeNeed>>> plans_;  // by need, by node
  std::map<std::string, std::string, std::less<>> classes_;    // by extended resource
  // By what a node has of the resources itself.
  std::map<std::map<std::string, int64_t>, devices::ExtendedClaim> extended_;
  std::vector<devices::SelectorIndex> selectors_;
  std::vector<std::string> attributes_;
  std::vector<bool> fails_;  // by need
  bool extended_fails_ = false;
  bool shares_ = false;
  bool names_ = false;
  bool requests_ = false;
  std::map<std::string, Known> counts_;
  absl::flat_hash_map<std::string, Known> states_;  // only looked up
  std::map<std::string, ReasonCode> reasons_;
};

}  // namespace trellis
