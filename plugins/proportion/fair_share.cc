#include "plugins/proportion/fair_share.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "framework/queue.h"
#include "framework/resources.h"

namespace trellis {
namespace {

// Fractions that differ by less than a step differ by rounding errors only. The offset keeps simple
// fractions away from the borders between steps.
constexpr double kFractionSteps = 1e6;
constexpr double kStepOffset = 0.6180339887;
// Weights and usages are bounded by this, so that their sums and quotients stay finite.
constexpr double kMostWeight = 1e30;
// Adds more than a few roundings lose.
constexpr double kNudge = 1 + 1e-14;

double bounded(double weight) { return std::clamp(weight, 0.0, kMostWeight); }

class Division {
 public:
  Division(const Dividend& dividend, std::span<const ShareClaim> claims)
      : dividend_(dividend), claims_(claims), left_(dividend.amount), shares_(claims.size()) {}

  std::vector<int64_t> run() {
    give_deserved();
    std::vector<size_t> order(claims_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tuple(-int64_t{claims_[a].priority}, claims_[a].created, claims_[a].name) <
             std::tuple(-int64_t{claims_[b].priority}, claims_[b].created, claims_[b].name);
    });
    for (size_t first = 0; first < order.size() && left_ > 0;) {
      size_t last = first;
      int32_t priority = claims_[order[first]].priority;
      while (last < order.size() && claims_[order[last]].priority == priority) ++last;
      divide_among({order.begin() + static_cast<ptrdiff_t>(first),
                    order.begin() + static_cast<ptrdiff_t>(last)});
      first = last;
    }
    return std::move(shares_);
  }

 private:
  struct Part {
    size_t claim = 0;
    double weight = 0;
    int64_t fraction = 0;  // of a unit that the last round did not give
  };

  int64_t rest(size_t claim) const { return claims_[claim].requestable - shares_[claim]; }

  void give(size_t claim, int64_t amount) {
    shares_[claim] += amount;
    left_ = std::max(left_ - amount, -kMaxSum);  // below 0 there is nothing left
  }

  void give_deserved() {
    for (size_t i = 0; i < claims_.size(); ++i) {
      int64_t deserved = claims_[i].deserved;
      if (deserved == QueueShare::kUnlimited) deserved = dividend_.amount;
      give(i, std::max<int64_t>(0, std::min(deserved, claims_[i].requestable)));
    }
  }

  // The claims that can use more and have a weight, with their weights relative to each other.
  std::vector<Part> open_parts(const std::vector<size_t>& claims) const {
    std::vector<Part> parts;
    double weights = 0, usages = 0;
    for (size_t claim : claims) {
      if (rest(claim) <= 0 || claims_[claim].weight <= 0) continue;
      parts.push_back({claim, bounded(claims_[claim].weight), 0});
      weights += parts.back().weight;
      usages += bounded(claims_[claim].usage);
    }
    if (usages <= 0) return parts;
    for (Part& part : parts) {
      double weight = part.weight / weights;
      double usage = bounded(claims_[part.claim].usage) / usages;
      part.weight = bounded(weight + dividend_.usage_pull * (weight - usage));
    }
    std::erase_if(parts, [](const Part& part) { return part.weight <= 0; });
    return parts;
  }

  // True when some claim now has all that it can use.
  bool give_parts(std::vector<Part>& parts) {
    double weights = 0;
    for (const Part& part : parts) weights += part.weight;
    double amount = static_cast<double>(left_);
    bool satisfied = false;
    for (Part& part : parts) {
      double share = amount * part.weight / weights * kNudge;
      if (static_cast<double>(rest(part.claim)) <= share) {
        give(part.claim, std::min(rest(part.claim), left_));
        satisfied = true;
        continue;
      }
      double units = share / static_cast<double>(dividend_.unit);
      double whole = std::floor(units);
      give(part.claim, std::min(static_cast<int64_t>(whole) * dividend_.unit, left_));
      part.fraction = static_cast<int64_t>((units - whole) * kFractionSteps + kStepOffset);
    }
    return satisfied;
  }

  void give_remainders(std::vector<Part>& parts) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.fraction > b.fraction; });
    for (const Part& part : parts) {
      give(part.claim, std::min({dividend_.unit, left_, rest(part.claim)}));
    }
  }

  void divide_among(const std::vector<size_t>& claims) {
    while (left_ > 0) {
      std::vector<Part> parts = open_parts(claims);
      if (parts.empty()) return;
      if (!give_parts(parts)) give_remainders(parts);
    }
  }

  const Dividend& dividend_;
  std::span<const ShareClaim> claims_;
  int64_t left_;
  std::vector<int64_t> shares_;
};

}  // namespace

std::vector<int64_t> divide(const Dividend& dividend, std::span<const ShareClaim> claims) {
  return Division(dividend, claims).run();
}

}  // namespace trellis
