#include "topology/kueue_balanced.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

bool KueueBalanced::find(const TopologyTree& tree, int level, const KueueCounts& counts,
                         const KueueNeed& need) {
  need_ = need;
  level_ = level;
  above_segments_ = level < counts.segments().level;
  threshold_ = 0;
  domains_ = 0;
  IdRange parents = tree.level(level - 1);
  for (uint32_t id = parents.first; id < parents.last; ++id) consider(tree, DomainId(id), counts);
  return threshold_ > 0 && choose(tree);
}

void KueueBalanced::consider(const TopologyTree& tree, DomainId parent, const KueueCounts& counts) {
  gather(counts, tree.descendants(parent, above_segments_ ? level_ + 1 : level_));
  Greedy use = greedy();
  if (!use.fits || use.domains == 0) return;
  int64_t threshold = need_.segments / use.domains;
  if (use.last_with_leader.domain.valid()) {
    threshold = std::min(threshold, use.last_with_leader.segments_beside);
  }
  if (use.last.domain.valid()) threshold = std::min(threshold, use.last.segments);
  if (threshold <= 0 || threshold < threshold_) return;

  Greedy pruned = prune(tree, parent, counts, threshold);
  if (!pruned.fits && need_.leaders > 0 && use.last.domain.valid()) {
    // A lower threshold, so that the leader may be on the last domain too.
    int64_t less = use.last.segments_beside;
    if (less >= threshold || less <= 0 || less < threshold_) return;
    threshold = less;
    pruned = prune(tree, parent, counts, threshold);
  }
  if (!pruned.fits) return;
  if (threshold == threshold_ && pruned.domains >= domains_) return;
  threshold_ = threshold;
  domains_ = pruned.domains;
  parent_ = parent;
  best_ = 1 - best_;
}

// A trial below `parent` without the domains that take less than the threshold.
KueueBalanced::Greedy KueueBalanced::prune(const TopologyTree& tree, DomainId parent,
                                           const KueueCounts& counts, int64_t threshold) {
  trials_[1 - best_].copy_below(tree, counts, parent);
  IdRange siblings = tree.children(parent);
  IdRange below;
  if (level_ + 1 < tree.level_count()) below = tree.descendants(parent, level_ + 1);
  for (uint32_t id = below.first; id < below.last; ++id) prune(tree, DomainId(id), threshold);
  for (uint32_t id = siblings.first; id < siblings.last; ++id) {
    trials_[1 - best_].sum_again(tree, DomainId(id));
    prune(tree, DomainId(id), threshold);
  }
  gather(trials_[1 - best_], siblings);
  return greedy();
}

void KueueBalanced::prune(const TopologyTree& tree, DomainId domain, int64_t threshold) {
  KueueCounts& trial = trials_[1 - best_];
  KueueCandidate candidate = trial[domain];
  if (candidate.segments < threshold) {
    trial.clear(tree, domain);
  } else if (candidate.leaders > 0 && candidate.segments_beside < threshold) {
    trial.clear_leaders(tree, domain);
  }
}

bool KueueBalanced::choose(const TopologyTree& tree) {
  const KueueCounts& counts = trials_[best_];
  int64_t size = counts.segments().size;
  gather(counts, tree.children(parent_));
  chosen_level_ = level_;
  if (above_segments_) {
    if (!choose_upper(tree, size)) return false;
    list_.clear();
    for (const KueueCandidate& domain : chosen_) append(counts, tree.children(domain.domain));
    ++chosen_level_;
  }
  return choose_lower(size) && share_out(size);
}

// Domains that hold most and whose children are most alike come first.
bool KueueBalanced::choose_upper(const TopologyTree& tree, int64_t size) {
  Greedy use = greedy();
  if (!use.fits) return false;
  evenness_.clear();
  for (const KueueCandidate& candidate : list_) {
    evenness_.push_back({evenness(tree, candidate.domain), candidate});
  }
  std::sort(evenness_.begin(), evenness_.end(), [](const auto& a, const auto& b) {
    const KueueCandidate& x = a.candidate;
    const KueueCandidate& y = b.candidate;
    if (x.leaders != y.leaders) return x.leaders > y.leaders;
    if (x.segments_beside != y.segments_beside) return x.segments_beside > y.segments_beside;
    if (a.evenness != b.evenness) return a.evenness > b.evenness;
    return x.domain < y.domain;
  });
  std::transform(evenness_.begin(), evenness_.end(), list_.begin(),
                 [](const auto& entry) { return entry.candidate; });
  return subset_.find(list_, subset_need(use, size), chosen_);
}

bool KueueBalanced::choose_lower(int64_t size) {
  Greedy use = greedy();
  if (!use.fits) return false;
  std::sort(list_.begin(), list_.end(),
            [](const auto& a, const auto& b) { return a.domain < b.domain; });
  return subset_.find(list_, subset_need(use, size), chosen_);
}

KueueSubsetNeed KueueBalanced::subset_need(const Greedy& use, int64_t size) const {
  return {need_.segments * size, need_.leaders, static_cast<size_t>(use.domains)};
}

// Gives each domain the threshold, and what is left over to the first domains that have room.
bool KueueBalanced::share_out(int64_t size) {
  int64_t extra = need_.segments - static_cast<int64_t>(chosen_.size()) * threshold_;
  if (extra < 0) return false;
  int64_t leaders = need_.leaders;
  sort_beside(chosen_, KueueFill::BestFit);
  for (KueueCandidate& domain : chosen_) {
    int64_t room = leaders > 0 ? domain.segments_beside : domain.segments;
    int64_t more = leaders > 0 || extra > 0 ? std::min(room - threshold_, extra) : 0;
    domain.leaders = leaders > 0 ? 1 : 0;
    leaders -= domain.leaders;
    extra -= more;
    domain.segments = domain.segments_beside = threshold_ + more;
    domain.pods = domain.segments * size;
    domain.pods_beside = domain.pods - domain.leaders;
  }
  return extra <= 0 && leaders == 0;
}

KueueBalanced::Greedy KueueBalanced::greedy() {
  Greedy use;
  KueueNeed left = need_;
  std::span<KueueCandidate> rest = list_;
  if (left.leaders > 0) {
    sort_beside(rest, KueueFill::BestFit);
    if (rest.empty() || rest.front().leaders == 0) return use;
    use.last_with_leader = rest.front();
    use.domains = 1;
    left.segments -= rest.front().segments_beside;
    rest = rest.subspan(1);
  }
  sort_alone(rest, KueueFill::BestFit);
  for (const KueueCandidate& candidate : rest) {
    if (left.segments <= 0 || candidate.segments <= 0) break;
    ++use.domains;
    use.last = candidate;
    left.segments -= candidate.segments;
  }
  use.fits = left.segments <= 0;
  return use;
}

void KueueBalanced::gather(const KueueCounts& counts, IdRange domains) {
  list_.clear();
  append(counts, domains);
}

void KueueBalanced::append(const KueueCounts& counts, IdRange domains) {
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    list_.push_back(counts[DomainId(id)]);
  }
}

// The entropy of the distribution of pods over the children. Summed in order of size, so that equal
// counts in another order are equally even.
double KueueBalanced::evenness(const TopologyTree& tree, DomainId domain) {
  IdRange children = tree.children(domain);
  pods_.clear();
  int64_t total = 0;
  for (uint32_t id = children.first; id < children.last; ++id) {
    int64_t pods = trials_[best_][DomainId(id)].pods;
    if (pods > 0) pods_.push_back(pods);
    total += pods;
  }
  std::sort(pods_.begin(), pods_.end());
  double entropy = 0;
  for (int64_t pods : pods_) {
    double part = static_cast<double>(pods) / static_cast<double>(total);
    entropy -= part * std::log2(part);
  }
  return entropy;
}

}  // namespace trellis
