#include "devices/joint_search.h"

#include <algorithm>
#include <utility>

namespace trellis::devices {

JointAnswer JointSearch::allocate(std::span<const PlacedClaim> claims) {
  JointAnswer answer;
  std::vector<const Claim*> all;
  for (const PlacedClaim& claim : claims) all.push_back(claim.claim);
  kinds_.emplace(inventory_, all);
  while (frames_.size() < claims.size()) {
    Frame& frame = frames_.emplace_back();
    frame.state = state_of(frames_.size() - 1);
    if (!dead_ends_.contains(frame.state) && advance(frame, claims[frames_.size() - 1])) continue;
    // Back to the last claim that has another answer.
    while (!frames_.empty()) {
      dead_ends_.insert(frames_.back().state);
      frames_.pop_back();
      if (frames_.empty() || out_of_budget_) break;
      if (advance(frames_.back(), claims[frames_.size() - 1])) break;
    }
    if (frames_.empty() || out_of_budget_) break;
  }
  bool found = frames_.size() == claims.size() && !out_of_budget_;
  answer.end = found ? JointEnd::Found : out_of_budget_ ? JointEnd::OutOfBudget : JointEnd::None;
  for (Frame& frame : frames_) release(frame);
  if (found) {
    for (Frame& frame : frames_) answer.allocations.push_back(std::move(frame.answer));
  } else {
    answer.error = std::move(error_);
  }
  frames_.clear();
  dead_ends_.clear();
  error_.clear();
  steps_ = 0;
  out_of_budget_ = false;
  return answer;
}

void JointSearch::release(Frame& frame) {
  if (frame.held) holdings_.remove(frame.answer);
  frame.held = false;
}

// The next answer for a claim that suits all its pods; false: there are no more.
bool JointSearch::advance(Frame& frame, const PlacedClaim& claim) {
  release(frame);
  while (frame.node < claim.nodes.size()) {
    if (frame.search == nullptr) {
      frame.search =
          std::make_unique<Search>(inventory_, *claim.nodes[frame.node], std::span(&claim.claim, 1),
                                   holdings_, options_.of_claim);
    }
    while (frame.search->next()) {
      if (++steps_ > options_.budget_steps) {
        out_of_budget_ = true;
        return false;
      }
      frame.answer = std::move(frame.search->allocations()[0]);
      if (!suits(frame.answer, claim)) continue;
      frame.devices = frame.search->chosen_devices();
      std::string held;
      for (const std::string& part : holdings_of(frame)) held.append(part).append("\n");
      if (!frame.tried.insert(std::move(held)).second) continue;
      holdings_.add(frame.answer);
      frame.held = true;
      return true;
    }
    out_of_budget_ = out_of_budget_ || frame.search->end() == SearchEnd::OutOfBudget;
    if (error_.empty()) error_ = frame.search->error();
    frame.search.reset();
    ++frame.node;
  }
  return false;
}

bool JointSearch::suits(const Allocation& allocation, const PlacedClaim& claim) const {
  if (!allocation.nodes) return true;
  return std::all_of(claim.nodes.begin(), claim.nodes.end(), [&](const NodeDevices* node) {
    return matches(*allocation.nodes, node->node());
  });
}

// What an answer holds, device by device: devices that are alike have the same text.
std::vector<std::string> JointSearch::holdings_of(const Frame& frame) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < frame.answer.results.size(); ++i) {
    const Result& result = frame.answer.results[i];
    std::string part = std::to_string(kinds_->kind_of(frame.devices[i]));
    if (result.admin_access) part += " admin";
    for (const auto& [name, amount] : result.consumed) part += " " + name + "=" + amount.text();
    parts.push_back(std::move(part));
  }
  return parts;
}

// What the claims before this one hold: equal texts leave devices that are alike.
std::string JointSearch::state_of(size_t claim) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < claim; ++i) {
    for (std::string& part : holdings_of(frames_[i])) parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end());
  std::string state = std::to_string(claim);
  for (const std::string& part : parts) state.append("\n").append(part);
  return state;
}

}  // namespace trellis::devices
