// Devices for the claims of one pod, as seen from one node.
//
// Answers come in the order of Kubernetes' allocator, the first of them being the one that it
// gives: claims, requests and alternatives in order, devices by pool, slice and place; a later
// alternative only where no earlier one leads to an answer. Each answer differs from those before.
// The search ends with an error where Kubernetes' does: then no node is tried for the pod, unless
// the error is one of this node only.
// Cost: exhaustive in the worst case, but at most `budget_steps` devices are tried.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/constraints.h"
#include "devices/holdings.h"
#include "devices/inventory.h"
#include "devices/node_devices.h"
#include "devices/requests.h"

namespace trellis::devices {

struct SearchOptions {
  int64_t budget_steps = 10'000'000;
};

enum class SearchEnd : uint8_t { Open, NoMore, OutOfBudget, Error, ErrorOnThisNode };

class Search {
 public:
  // All arguments outlive the search; `claims` are not allocated yet.
  Search(const Inventory& inventory, const NodeDevices& node, std::span<const Claim* const> claims,
         const Holdings& holdings, SearchOptions options = {});

  // Goes on to the next answer. False: there is none, and end() says why.
  bool next();
  SearchEnd end() const { return end_; }
  const std::string& error() const { return error_; }

  // Of the answer, claim by claim.
  std::vector<Allocation> allocations() const;
  // Of the answer: the devices of the results of all claims, in order.
  std::vector<DeviceIndex> chosen_devices() const;
  // Of the answer: for each request with alternatives, in order, which one it got.
  std::vector<uint32_t> alternatives() const;

 private:
  using Candidate = NodeDevices::Seen;

  // What this attempt takes of a candidate: which claims have it, and how much of it.
  struct Taken {
    std::vector<uint32_t> claims;
    Amounts used;
  };

  // A choice of the search, and what it has chosen: an alternative, or a device.
  struct Frame {
    uint32_t claim = 0;
    uint32_t request = 0;
    uint32_t alternative = 0;
    // Of a device: which one of the request. -1: this is the choice of an alternative.
    int32_t place = -1;
    uint32_t cursor = 0;
    bool chosen = false;
    bool charged = false;
    uint32_t candidate = 0;
    Amounts share;
  };

  enum class Answer : uint8_t { No, Yes, Failed };

  bool prepare_claims(std::span<const Claim* const> claims);
  bool fix_devices(PreparedClaim& claim);
  bool fix_devices(PreparedClaim& claim, PreparedAlternative& alternative);
  bool check_sum(PreparedClaim& claim);
  void count_available();
  bool fail(std::string error);

  PreparedAlternative& alternative_of(const Frame& frame);
  const PreparedAlternative& alternative_of(const Frame& frame) const;
  const Device& device_of(const Candidate& candidate) const;
  bool push_next();
  bool push_request(uint32_t claim, uint32_t request);
  bool try_next(Frame& frame);
  bool try_alternative(Frame& frame);
  bool try_device(Frame& frame);
  Answer selectable(const PreparedClaim& claim, const PreparedAlternative& alternative,
                    uint32_t candidate);
  Answer evaluate(const PreparedClaim& claim, const PreparedAlternative& alternative,
                  const Candidate& candidate);
  Answer share(const PreparedClaim& claim, const PreparedAlternative& alternative,
               const Candidate& candidate, Amounts& into);
  Answer may_take(Frame& frame, uint32_t candidate);
  bool is_free(const Frame& frame, uint32_t candidate) const;
  bool has_room(uint32_t candidate, const Amounts& share) const;
  bool has_counters(uint32_t candidate);
  bool is_shared_already(uint32_t candidate) const;
  void take(Frame& frame, uint32_t candidate);
  void give_back(Frame& frame);
  Result result_of(const Frame& frame) const;

  const Inventory& inventory_;
  const NodeDevices& node_;
  const Holdings& holdings_;
  SearchOptions options_;
  // Of each pool and counter: what is left, and what this attempt uses.
  std::vector<std::vector<Quantity>> available_;
  std::vector<std::vector<Quantity>> charged_;
  std::vector<Quantity> sum_;  // only within has_counters()
  const std::vector<Candidate>& candidates_;
  std::vector<Taken> taken_;  // by candidate
  std::vector<PreparedClaim> claims_;
  std::vector<ConstraintState> constraints_;
  std::vector<int64_t> devices_of_claim_;
  std::vector<Frame> frames_;
  bool descends_ = true;
  int64_t steps_ = 0;
  SearchEnd end_ = SearchEnd::Open;
  std::string error_;
};

}  // namespace trellis::devices
