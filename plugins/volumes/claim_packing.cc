#include "plugins/volumes/claim_packing.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace trellis {
namespace {

// Depth first, the largest claim first.
class ClaimPacking {
 public:
  ClaimPacking(const std::vector<PackedClaim>& claims, std::vector<PackedPlace> places)
      : places_(std::move(places)) {
    for (uint32_t i = 0; i < claims.size(); ++i) steps_.push_back({&claims[i], i});
    std::ranges::stable_sort(steps_, {}, [](const Step& step) {
      const PackedClaim& claim = *step.claim;
      return std::tuple(claim.home == PackedClaim::kNowhere, -claim.bytes, claim.places.size());
    });
    for (const PackedPlace& place : places_) {
      unbounded_ = unbounded_ || place.room == PackedPlace::kUnbounded;
    }
    for (const Step& step : steps_) left_bytes_ += bytes_without_home(*step.claim);
  }

  bool search(int64_t budget_steps) {
    size_t depth = 0;
    while (depth < steps_.size()) {
      if (budget_steps-- <= 0) return false;
      if (enough_room() && descend(depth)) {
        ++depth;
        continue;
      }
      steps_[depth].next = 0;
      if (depth == 0) return false;
      take_back(--depth);
    }
    return true;
  }

  std::vector<uint32_t> found() const {
    std::vector<uint32_t> found(steps_.size());
    for (const Step& step : steps_) found[step.index] = step.place();
    return found;
  }

 private:
  struct Step {
    const PackedClaim* claim;
    uint32_t index;
    size_t next = 0;   // of its places, to be tried
    int64_t room = 0;  // of its place, before it came

    uint32_t place() const { return claim->places[next - 1]; }
  };

  static int64_t bytes_without_home(const PackedClaim& claim) {
    return claim.home == PackedClaim::kNowhere ? claim.bytes : 0;
  }

  // Whether the sizes of the claims without a place allow that all get one.
  bool enough_room() const {
    if (unbounded_) return true;
    int64_t room = 0;
    for (const PackedPlace& place : places_) room += std::max<int64_t>(place.room, 0);
    return left_bytes_ <= room;
  }

  // Equal claims take places in order, so that no assignment is tried twice.
  bool descend(size_t depth) {
    Step& step = steps_[depth];
    const PackedClaim& claim = *step.claim;
    if (step.next == 0 && depth > 0 && *steps_[depth - 1].claim == claim) {
      step.next = steps_[depth - 1].next - 1;
    }
    while (step.next < claim.places.size()) {
      uint32_t index = claim.places[step.next++];
      PackedPlace& place = places_[index];
      if (place.room < claim.bytes && index != claim.home) continue;
      step.room = place.room;
      if (place.whole) {
        place.room = -1;
      } else if (place.room != PackedPlace::kUnbounded) {
        place.room -= claim.bytes;
      }
      left_bytes_ -= bytes_without_home(claim);
      return true;
    }
    return false;
  }

  void take_back(size_t depth) {
    const Step& step = steps_[depth];
    places_[step.place()].room = step.room;
    left_bytes_ += bytes_without_home(*step.claim);
  }

  std::vector<PackedPlace> places_;
  std::vector<Step> steps_;
  int64_t left_bytes_ = 0;  // of claims without a place
  bool unbounded_ = false;
};

}  // namespace

std::optional<std::vector<uint32_t>> pack_claims(const std::vector<PackedClaim>& claims,
                                                 std::vector<PackedPlace> places,
                                                 int64_t budget_steps) {
  ClaimPacking packing(claims, std::move(places));
  if (!packing.search(budget_steps)) return std::nullopt;
  return packing.found();
}

}  // namespace trellis
