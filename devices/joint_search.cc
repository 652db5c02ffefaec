#include "devices/joint_search.h"

#include <algorithm>
#include <utility>

namespace trellis::devices {

JointAnswer JointSearch::allocate(std::span<const PlacedClaim> claims) {
  JointAnswer answer;
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
      frame.search = std::make_unique<Search>(inventory_, *claim.nodes[frame.node],
                                              std::span(&claim.claim, 1), holdings_);
    }
    while (frame.search->next()) {
      if (++steps_ > options_.budget_steps) {
        out_of_budget_ = true;
        return false;
      }
      Allocation allocation = std::move(frame.search->allocations()[0]);
      if (!suits(allocation, claim)) continue;
      holdings_.add(allocation);
      frame.answer = std::move(allocation);
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
  return std::all_of(claim.nodes.begin(), claim.nodes.end(),
                     [&](const NodeView* node) { return matches(*allocation.nodes, *node); });
}

// What the claims before this one hold, as a text: equal ones leave equal devices.
std::string JointSearch::state_of(size_t claim) const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < claim; ++i) {
    for (const Result& result : frames_[i].answer.results) {
      std::string part = result.id.driver + "/" + result.id.pool + "/" + result.id.device;
      for (const auto& [name, amount] : result.consumed) part += " " + name + "=" + amount.text();
      parts.push_back(std::move(part));
    }
  }
  std::sort(parts.begin(), parts.end());
  std::string state = std::to_string(claim);
  for (const std::string& part : parts) state.append("\n").append(part);
  return state;
}

}  // namespace trellis::devices
