#include "topology/kueue_division.h"

#include <algorithm>
#include <functional>

namespace trellis {
namespace {

template <KueueFill kFill>
struct AloneBefore {
  bool operator()(const KueueCandidate& a, const KueueCandidate& b) const {
    if (a.affinity != b.affinity) return a.affinity > b.affinity;
    if (a.segments != b.segments) {
      return kFill == KueueFill::LeastFree ? a.segments < b.segments : a.segments > b.segments;
    }
    if (a.pods != b.pods) return a.pods < b.pods;
    return a.domain < b.domain;
  }
};

template <KueueFill kFill>
struct BesideBefore {
  bool operator()(const KueueCandidate& a, const KueueCandidate& b) const {
    if (a.leaders != b.leaders) return a.leaders > b.leaders;
    if (a.affinity != b.affinity) return a.affinity > b.affinity;
    if (a.segments_beside != b.segments_beside) {
      return kFill == KueueFill::LeastFree ? a.segments_beside < b.segments_beside
                                           : a.segments_beside > b.segments_beside;
    }
    if (a.pods_beside != b.pods_beside) return a.pods_beside < b.pods_beside;
    return a.domain < b.domain;
  }
};

// Children of a domain that take the same are in order already.
template <class Before>
void sort_by(std::span<KueueCandidate> candidates) {
  if (std::is_sorted(candidates.begin(), candidates.end(), Before())) return;
  std::sort(candidates.begin(), candidates.end(), Before());
}

int64_t room(const KueueCandidate& candidate, const KueueNeed& need) {
  return need.leaders > 0 ? candidate.segments_beside : candidate.segments;
}

}  // namespace

KueueFill kueue_fill(const KueueRequest& request) {
  bool least = request.mode == KueueMode::Unconstrained && request.gates.mixed;
  return least ? KueueFill::LeastFree : KueueFill::BestFit;
}

bool takes_all(const KueueCandidate& candidate, const KueueNeed& need) {
  return candidate.leaders >= need.leaders && room(candidate, need) >= need.segments;
}

void sort_alone(std::span<KueueCandidate> candidates, KueueFill fill) {
  if (fill == KueueFill::LeastFree) {
    sort_by<AloneBefore<KueueFill::LeastFree>>(candidates);
  } else {
    sort_by<AloneBefore<KueueFill::BestFit>>(candidates);
  }
}

void sort_beside(std::span<KueueCandidate> candidates, KueueFill fill) {
  if (fill == KueueFill::LeastFree) {
    sort_by<BesideBefore<KueueFill::LeastFree>>(candidates);
  } else {
    sort_by<BesideBefore<KueueFill::BestFit>>(candidates);
  }
}

void put_leader_first(std::span<KueueCandidate> candidates, const KueueNeed& need) {
  if (need.leaders == 0) return;
  int64_t available = 0;
  for (const KueueCandidate& candidate : candidates) available += candidate.segments;
  auto first = std::find_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    int64_t cost = candidate.segments - candidate.segments_beside;
    return candidate.leaders >= need.leaders && available - cost >= need.segments;
  });
  if (first != candidates.end()) std::rotate(candidates.begin(), first, first + 1);
}

size_t best_fit(std::span<const KueueCandidate> candidates, const KueueNeed& need) {
  size_t best = 0;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const KueueCandidate& candidate = candidates[i];
    if (candidate.affinity != candidates.front().affinity) break;
    if (!takes_all(candidate, need) || room(candidate, need) >= least) continue;
    best = i;
    least = room(candidate, need);
  }
  return best;
}

void divide(std::span<KueueCandidate> candidates, KueueNeed need, int64_t size, KueueFill fill,
            std::vector<DomainPods>& parts) {
  put_leader_first(candidates, need);
  size_t before = parts.size();
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (takes_all(candidates[i], need)) {
      size_t last = fill == KueueFill::BestFit ? i + best_fit(candidates.subspan(i), need) : i;
      parts.push_back({candidates[last].domain, need.segments * size, need.leaders});
      return;
    }
    int64_t taken = std::min(room(candidates[i], need), need.segments);
    int64_t leaders = std::min(candidates[i].leaders, need.leaders);
    parts.push_back({candidates[i].domain, taken * size, leaders});
    need.segments -= taken;
    need.leaders -= leaders;
  }
  parts.resize(before);
}

}  // namespace trellis
