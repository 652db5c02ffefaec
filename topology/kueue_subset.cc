#include "topology/kueue_subset.h"

#include <algorithm>

namespace trellis {

bool KueueSubset::find(std::span<const KueueCandidate> candidates, const KueueSubsetNeed& need,
                       std::vector<KueueCandidate>& chosen) {
  if (states_.size() < 2 * (need.domains + 1)) states_.resize(2 * (need.domains + 1));
  for (size_t domains = 0; domains <= need.domains; ++domains) {
    states(domains, 0).clear();
    states(domains, 1).clear();
  }
  chain_.assign(1, Link());
  states(0, need.leaders).push_back({need.pods, 0});
  for (uint32_t index = 0; index < candidates.size(); ++index) {
    // From many to few, so that no domain is chosen twice.
    size_t most = std::min<size_t>(need.domains, index + 1);
    for (size_t domains = most; domains > 0; --domains) choose(candidates, index, domains);
  }

  const States& ends = states(need.domains, 0);
  auto beyond =
      std::find_if(ends.begin(), ends.end(), [](const State& end) { return end.pods > 0; });
  chosen.clear();
  if (beyond == ends.begin()) return false;
  uint32_t link = std::prev(beyond)->last;
  for (; link != 0; link = chain_[link].before)
    chosen.push_back(candidates[chain_[link].candidate]);
  std::reverse(chosen.begin(), chosen.end());
  return true;
}

// Adds sets of `domains` domains with this candidate as the last. An earlier set that leaves as
// many pods is kept.
void KueueSubset::choose(std::span<const KueueCandidate> candidates, uint32_t index,
                         size_t domains) {
  const KueueCandidate& candidate = candidates[index];
  for (int64_t leaders = 0; leaders <= 1; ++leaders) {
    std::span<const State> from = states(domains - 1, leaders);
    if (leaders == 0) {
      // A set that has placed all pods takes no more domains.
      auto open = std::find_if(from.begin(), from.end(), [](const State& s) { return s.pods > 0; });
      from = from.subspan(static_cast<size_t>(open - from.begin()));
    }
    if (from.empty()) continue;
    if (leaders > 0 && candidate.leaders > 0) {
      extend(from, states(domains, 0), candidate.pods_beside, index);
    }
    if (candidate.segments > 0) extend(from, states(domains, leaders), candidate.pods, index);
  }
}

void KueueSubset::extend(std::span<const State> from, States& to, int64_t taken,
                         uint32_t candidate) {
  merged_.clear();
  auto kept = to.begin();
  for (const State& state : from) {
    int64_t pods = state.pods - taken;
    while (kept != to.end() && kept->pods < pods) merged_.push_back(*kept++);
    if (kept != to.end() && kept->pods == pods) continue;
    chain_.push_back({candidate, state.last});
    merged_.push_back({pods, static_cast<uint32_t>(chain_.size() - 1)});
  }
  merged_.insert(merged_.end(), kept, to.end());
  to.swap(merged_);
}

}  // namespace trellis
