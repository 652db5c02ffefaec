#include "devices/search.h"

#include <algorithm>
#include <utility>

#include "devices/shares.h"

namespace trellis::devices {

Search::Search(const Inventory& inventory, const NodeDevices& node,
               std::span<const Claim* const> claims, const Holdings& holdings,
               SearchOptions options)
    : inventory_(inventory),
      node_(node),
      holdings_(holdings),
      options_(options),
      candidates_(node.devices()),
      taken_(candidates_.size()) {
  if (prepare_claims(claims)) count_available();
}

bool Search::fail(std::string error) {
  error_ = std::move(error);
  end_ = SearchEnd::Error;
  return false;
}

bool Search::prepare_claims(std::span<const Claim* const> claims) {
  for (const Claim* claim : claims) {
    claims_.push_back(prepare(*claim, inventory_));
    PreparedClaim& made = claims_.back();
    // The first error in the order of requests counts.
    bool fixed = fix_devices(made);
    if (!fixed) return false;
    if (!made.error.empty()) return fail(made.error);
    if (!check_sum(made)) return false;
    constraints_.emplace_back(claim->constraints);
    devices_of_claim_.push_back(0);
  }
  return true;
}

bool Search::fix_devices(PreparedClaim& claim) {
  if (!claim.error.empty()) return true;
  for (PreparedRequest& request : claim.requests) {
    for (PreparedAlternative& alternative : request.alternatives) {
      if (alternative.all && !fix_devices(claim, alternative)) return false;
    }
  }
  return true;
}

bool Search::fix_devices(PreparedClaim& claim, PreparedAlternative& alternative) {
  for (const SeenPool& pool : node_.pools()) {
    if (pool.usable()) continue;
    return fail(claim.label() + ", request " + alternative.name +
                ": asks for all devices, but resource pool " + pool.driver + "/" + pool.name +
                (pool.complete ? " is currently invalid" : " is currently being updated"));
  }
  for (uint32_t i = 0; i < candidates_.size(); ++i) {
    Answer answer = selectable(claim, alternative, i);
    Amounts share;
    if (answer == Answer::Yes) answer = this->share(claim, alternative, candidates_[i], share);
    if (answer == Answer::Failed) return false;
    if (answer == Answer::No) continue;
    if (fits(device_of(candidates_[i]), share, {})) alternative.fixed.push_back(i);
  }
  alternative.count = static_cast<int64_t>(alternative.fixed.size());
  return true;
}

bool Search::check_sum(PreparedClaim& claim) {
  int64_t sum = 0;
  for (PreparedRequest& request : claim.requests) {
    int64_t least = INT64_MAX;
    for (const PreparedAlternative& alternative : request.alternatives) {
      least = std::min(least, alternative.count);
    }
    if (request.alternatives.empty()) least = 0;
    if (least > kMostDevices - sum) {
      return fail(claim.label() + ", request " + request.request->name + ": adding " +
                  std::to_string(least) + " devices exceeds the claim limit of 32, with " +
                  std::to_string(sum) + " already accounted for");
    }
    sum += least;
    request.least_behind = sum;
  }
  for (PreparedRequest& request : claim.requests) request.least_behind = sum - request.least_behind;
  return true;
}

void Search::count_available() {
  for (size_t i = 0; i < node_.pools().size(); ++i) {
    available_.push_back(node_.pools()[i].counters);
    charged_.emplace_back(available_.back().size());
    for (const NodeDevices::Consumer& consumer : node_.consumers()[i]) {
      if (holdings_.find(inventory_.devices()[consumer.device].id) == nullptr) continue;
      for (const Consumption& use : consumer.consumption) {
        Quantity& left = available_.back()[use.counter];
        left = left - use.amount;
      }
    }
  }
}

PreparedAlternative& Search::alternative_of(const Frame& frame) {
  return claims_[frame.claim].requests[frame.request].alternatives[frame.alternative];
}

const PreparedAlternative& Search::alternative_of(const Frame& frame) const {
  return claims_[frame.claim].requests[frame.request].alternatives[frame.alternative];
}

const Device& Search::device_of(const Candidate& candidate) const {
  return *inventory_.devices()[candidate.device].device;
}

bool Search::next() {
  while (end_ == SearchEnd::Open) {
    if (descends_ && !push_next()) {
      descends_ = false;
      return true;
    }
    if (frames_.empty()) {
      end_ = SearchEnd::NoMore;
      break;
    }
    Frame& frame = frames_.back();
    if (frame.chosen) give_back(frame);
    descends_ = try_next(frame);
    if (!descends_) frames_.pop_back();
  }
  if (end_ == SearchEnd::NoMore && std::ranges::any_of(node_.pools(), &SeenPool::invalid)) {
    error_ = "invalid resource pools were encountered";
    end_ = SearchEnd::ErrorOnThisNode;
  }
  return false;
}

bool Search::push_request(uint32_t claim, uint32_t request) {
  while (claim < claims_.size() && request >= claims_[claim].requests.size()) {
    ++claim;
    request = 0;
  }
  if (claim >= claims_.size()) return false;
  Frame frame;
  frame.claim = claim;
  frame.request = request;
  frames_.push_back(std::move(frame));
  return true;
}

// Adds the choice that follows the last one; false: everything is chosen.
bool Search::push_next() {
  if (frames_.empty()) return push_request(0, 0);
  const Frame& last = frames_.back();
  const PreparedAlternative& alternative = alternative_of(last);
  if (last.place + 1 >= alternative.count) return push_request(last.claim, last.request + 1);
  Frame frame;
  frame.claim = last.claim;
  frame.request = last.request;
  frame.alternative = last.alternative;
  frame.place = last.place + 1;
  if (!alternative.all && last.place >= 0) frame.cursor = last.candidate + 1;
  frames_.push_back(std::move(frame));
  return true;
}

bool Search::try_next(Frame& frame) {
  return frame.place < 0 ? try_alternative(frame) : try_device(frame);
}

bool Search::try_alternative(Frame& frame) {
  const PreparedRequest& request = claims_[frame.claim].requests[frame.request];
  while (frame.cursor < request.alternatives.size()) {
    frame.alternative = frame.cursor++;
    int64_t count = alternative_of(frame).count;
    int64_t room = kMostDevices - devices_of_claim_[frame.claim] - request.least_behind;
    if (count > 0 && count <= room) {
      frame.chosen = true;
      return true;
    }
  }
  return false;
}

bool Search::try_device(Frame& frame) {
  const PreparedAlternative& alternative = alternative_of(frame);
  if (alternative.all) {
    if (frame.cursor > 0) return false;
    frame.cursor = 1;
    uint32_t candidate = alternative.fixed[static_cast<size_t>(frame.place)];
    if (may_take(frame, candidate) != Answer::Yes) return false;
    take(frame, candidate);
    return true;
  }
  while (frame.cursor < candidates_.size()) {
    uint32_t candidate = frame.cursor++;
    if (++steps_ > options_.budget_steps) {
      end_ = SearchEnd::OutOfBudget;
      return false;
    }
    Answer answer = may_take(frame, candidate);
    if (answer == Answer::Failed) return false;
    if (answer == Answer::No) continue;
    take(frame, candidate);
    return true;
  }
  return false;
}

bool Search::is_free(const Frame& frame, uint32_t index) const {
  const Candidate& candidate = candidates_[index];
  const Device& device = device_of(candidate);
  const Holding* holding = holdings_.find(inventory_.devices()[candidate.device].id);
  const std::vector<uint32_t>& claims = taken_[index].claims;
  if (alternative_of(frame).alternative->admin_access) {
    return device.shared || std::find(claims.begin(), claims.end(), frame.claim) == claims.end();
  }
  if (holding != nullptr && holding->whole > 0) return false;
  return device.shared || claims.empty();
}

bool Search::is_shared_already(uint32_t index) const {
  const Candidate& candidate = candidates_[index];
  if (!device_of(candidate).shared) return false;
  const Holding* holding = holdings_.find(inventory_.devices()[candidate.device].id);
  return !taken_[index].claims.empty() || (holding != nullptr && holding->shares > 0);
}

bool Search::has_room(uint32_t index, const Amounts& share) const {
  const Candidate& candidate = candidates_[index];
  const Device& device = device_of(candidate);
  if (!device.shared) return fits(device, share, {});
  Amounts used = taken_[index].used;
  const Holding* holding = holdings_.find(inventory_.devices()[candidate.device].id);
  if (holding != nullptr) add(used, holding->used);
  return fits(device, share, used);
}

bool Search::has_counters(uint32_t index) {
  const Candidate& candidate = candidates_[index];
  if (candidate.consumption.empty() || is_shared_already(index)) return true;
  sum_ = charged_[candidate.pool];
  for (const Consumption& use : candidate.consumption) {
    sum_[use.counter] = sum_[use.counter] + use.amount;
  }
  const std::vector<Quantity>& available = available_[candidate.pool];
  for (size_t i = 0; i < sum_.size(); ++i) {
    if (sum_[i] > available[i]) return false;
  }
  return true;
}

Search::Answer Search::may_take(Frame& frame, uint32_t index) {
  const Candidate& candidate = candidates_[index];
  const PreparedClaim& claim = claims_[frame.claim];
  const PreparedAlternative& alternative = alternative_of(frame);
  if (!is_free(frame, index)) return Answer::No;
  Answer answer = selectable(claim, alternative, index);
  if (answer != Answer::Yes) return answer;
  frame.share.clear();
  answer = share(claim, alternative, candidate, frame.share);
  if (answer != Answer::Yes) return answer;
  if (!has_room(index, frame.share) || !has_counters(index)) return Answer::No;
  const Device& device = device_of(candidate);
  for (const Taint& taint : device.taints) {
    bool binds = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (binds && !tolerates(alternative.alternative->tolerations, taint)) return Answer::No;
  }
  if (constraints_[frame.claim].allows(inventory_.devices()[candidate.device],
                                       alternative.constraints))
    return Answer::Yes;
  if (!alternative.all) return Answer::No;
  fail(claim.label() + ", request " + alternative.name + ": cannot add device " + device.name +
       " because a claim constraint would not be satisfied");
  return Answer::Failed;
}

Search::Answer Search::selectable(const PreparedClaim& claim,
                                  const PreparedAlternative& alternative, uint32_t index) {
  const Candidate& candidate = candidates_[index];
  Answer answer = evaluate(claim, alternative, candidate);
  if (answer != Answer::Yes || !candidate.per_device) return answer;
  return reaches(device_of(candidate).reach, node_.node()) ? Answer::Yes : Answer::No;
}

Search::Answer Search::evaluate(const PreparedClaim& claim, const PreparedAlternative& alternative,
                                const Candidate& candidate) {
  for (size_t i = 0; i < alternative.selectors.size(); ++i) {
    bool of_class = i < alternative.class_selectors;
    auto place = [&] {
      size_t number = of_class ? i : i - alternative.class_selectors;
      return (of_class ? "class " + alternative.device_class->name : claim.label()) +
             ": selector #" + std::to_string(number);
    };
    const cel::Expression& expression = inventory_.expression(alternative.selectors[i]);
    if (!expression.valid()) {
      fail(place() + ": CEL compile error: " + expression.error());
      return Answer::Failed;
    }
    Inventory::Answer accepted = inventory_.accepts(alternative.selectors[i], candidate.device);
    if (!accepted.error.empty()) {
      const DeviceId& id = inventory_.devices()[candidate.device].id;
      fail(place() + " on device " + id.driver + "/" + id.pool + "/" + id.device +
           ": CEL runtime error: " + std::string(accepted.error));
      return Answer::Failed;
    }
    if (!accepted.accepts) return Answer::No;
  }
  return Answer::Yes;
}

Search::Answer Search::share(const PreparedClaim& claim, const PreparedAlternative& alternative,
                             const Candidate& candidate, Amounts& into) {
  const Device& device = device_of(candidate);
  const Amounts& requested = alternative.alternative->capacity;
  if (requested.empty() && !device.shared) return Answer::Yes;
  Share share = share_of(device, requested);
  if (!share.error.empty()) {
    const DeviceId& id = inventory_.devices()[candidate.device].id;
    fail(claim.label() + ", request " + alternative.name + ": checking capacity for device " +
         id.driver + "/" + id.pool + "/" + id.device + ": " + share.error);
    return Answer::Failed;
  }
  if (!share.amounts) return Answer::No;
  into = std::move(*share.amounts);
  return Answer::Yes;
}

void Search::take(Frame& frame, uint32_t index) {
  const Candidate& candidate = candidates_[index];
  frame.chosen = true;
  frame.candidate = index;
  frame.charged = !candidate.consumption.empty() && !is_shared_already(index);
  if (frame.charged) {
    for (const Consumption& use : candidate.consumption) {
      Quantity& charged = charged_[candidate.pool][use.counter];
      charged = charged + use.amount;
    }
  }
  taken_[index].claims.push_back(frame.claim);
  if (device_of(candidate).shared) add(taken_[index].used, frame.share);
  constraints_[frame.claim].add(inventory_.devices()[candidate.device],
                                alternative_of(frame).constraints);
  ++devices_of_claim_[frame.claim];
}

void Search::give_back(Frame& frame) {
  frame.chosen = false;
  if (frame.place < 0) return;
  const Candidate& candidate = candidates_[frame.candidate];
  --devices_of_claim_[frame.claim];
  constraints_[frame.claim].remove(alternative_of(frame).constraints);
  Taken& taken = taken_[frame.candidate];
  if (device_of(candidate).shared) subtract(taken.used, frame.share);
  taken.claims.pop_back();
  if (!frame.charged) return;
  for (const Consumption& use : candidate.consumption) {
    Quantity& charged = charged_[candidate.pool][use.counter];
    charged = charged - use.amount;
  }
}

}  // namespace trellis::devices
