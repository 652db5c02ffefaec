// Devices for the claims of several pods, each on a node, at the same time.
//
// A claim is allocated as seen from the node of one of its pods, and the nodes of all its pods must
// be among those from which its devices can be used. No device is given twice, no shared device or
// counter beyond what it has, together with what is taken already.
// Guarantees: without an exhausted budget, "none" means that there is no such allocation. The same
// input gives the same answer.
// Cost: claim by claim, going back over the devices of earlier claims; states that led nowhere are
// remembered, so that neither equal claims nor devices that are alike are tried in every order.
// `budget_steps` bounds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "devices/device_kinds.h"
#include "devices/holdings.h"
#include "devices/inventory.h"
#include "devices/search.h"

namespace trellis::devices {

// A claim that is to be allocated, and the different nodes of its pods.
struct PlacedClaim {
  const Claim* claim = nullptr;
  std::vector<const NodeDevices*> nodes;
};

struct JointOptions {
  // Answers for single claims that are tried.
  int64_t budget_steps = 100'000;
  // Devices that are tried for one claim.
  SearchOptions of_claim;
};

enum class JointEnd : uint8_t { Found, None, OutOfBudget };

struct JointAnswer {
  JointEnd end = JointEnd::None;
  // Of Found: by claim, in the order of the question.
  std::vector<Allocation> allocations;
  // Of None: the error of a claim that cannot be allocated at all; or empty.
  std::string error;
};

class JointSearch {
 public:
  // `holdings` is changed during the search, and is as it was at its end.
  JointSearch(const Inventory& inventory, Holdings& holdings, JointOptions options = {})
      : inventory_(inventory), holdings_(holdings), options_(options) {}

  JointAnswer allocate(std::span<const PlacedClaim> claims);

 private:
  // A claim that is being allocated.
  struct Frame {
    // The node from which its devices are seen.
    size_t node = 0;
    std::unique_ptr<Search> search;
    Allocation answer;
    std::vector<DeviceIndex> devices;
    bool held = false;
    // What the answers held that were tried, as texts; only looked up.
    std::unordered_set<std::string> tried;
    // What was taken when it began; empty: not known.
    std::string state;
  };

  bool advance(Frame& frame, const PlacedClaim& claim);
  bool suits(const Allocation& allocation, const PlacedClaim& claim) const;
  std::string state_of(size_t claim);
  std::vector<std::string> holdings_of(const Frame& frame);
  void release(Frame& frame);

  const Inventory& inventory_;
  Holdings& holdings_;
  JointOptions options_;
  int64_t steps_ = 0;
  bool out_of_budget_ = false;
  std::string error_;
  std::vector<Frame> frames_;
  std::optional<DeviceKinds> kinds_;
  // Only looked up.
  std::unordered_set<std::string> dead_ends_;
};

}  // namespace trellis::devices
