#include "topology/kueue_placement.h"

#include <algorithm>

#include "topology/count_kernels.h"

namespace trellis {

const KueueAnswer& KueuePlacer::place(const TopologyTree& tree, const KueueRequest& request,
                                      const KueueLeaves& leaves) {
  answer_.placed = false;
  answer_.workers.clear();
  answer_.leader = DomainId();
  answer_.fitted.clear();
  counts_.fill(tree, request, leaves);
  const KueueSegments& segments = counts_.segments();
  KueueNeed need{request.pods / segments.size, leaves.leaders.empty() ? 0 : 1};
  question_ = {&tree, &request, &leaves, need, kueue_fill(request)};

  bool balanced = request.gates.balanced && request.mode == KueueMode::Preferred &&
                  balanced_.find(tree, request.level, counts_, need);
  int level = balanced ? balanced_.level() : find_level();
  if (level < 0) return answer_;
  if (balanced) candidates_.assign(balanced_.chosen().begin(), balanced_.chosen().end());

  parts_.clear();
  divide(candidates_, need, segments.size, question_.fill, parts_);
  int deepest = tree.level_count() - 1;
  for (; !balanced && level < segments.level; ++level) divide_pooled();
  for (; level < deepest; ++level) {
    divide_parts(level, balanced ? balanced_.counts() : counts_);
  }
  collect();
  return answer_;
}

int KueuePlacer::find_level() {
  const KueueRequest& request = *question_.request;
  for (int level = request.level;; --level) {
    DomainId single = find_single(level);
    if (single.valid()) {
      candidates_.assign(1, counts_[single]);
      return level;
    }
    if (request.mode == KueueMode::Required) {
      return report_fitted(level, most_segments(level));
    }
    if (level == 0 || request.mode == KueueMode::Unconstrained) return find_several(level);
  }
}

// The best domain that takes all by itself: the tightest, where affinity does not decide.
DomainId KueuePlacer::find_single(int level) const {
  if (counts_.plain()) return find_single_plain(level);
  const KueueNeed& need = question_.need;
  KueueCandidate best;
  int64_t most_affinity = INT64_MIN;
  IdRange domains = question_.tree->level(level);
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    KueueCandidate candidate = counts_[DomainId(id)];
    if (candidate.leaders < need.leaders) continue;
    most_affinity = std::max(most_affinity, candidate.affinity);
    if (candidate.segments_beside < need.segments) continue;
    bool better = !best.domain.valid() || candidate.affinity > best.affinity;
    if (!better && candidate.affinity == best.affinity) {
      better = candidate.segments_beside < best.segments_beside ||
               (candidate.segments_beside == best.segments_beside &&
                candidate.pods_beside < best.pods_beside);
    }
    if (better) best = candidate;
  }
  // Kueue takes a domain with less than the highest affinity only where it has to stay at the
  // level.
  bool only_most_liked =
      question_.fill == KueueFill::BestFit && question_.request->mode != KueueMode::Required;
  if (only_most_liked && best.domain.valid() && best.affinity < most_affinity) return DomainId();
  return best.domain;
}

DomainId KueuePlacer::find_single_plain(int level) const {
  const DomainCounts& counts = question_.leaves->pods;
  int64_t needed = question_.need.segments;
  if (counts.level_bound(*question_.tree, level) < needed) return DomainId();
  int64_t tightest = counts.least_at_least(*question_.tree, level, needed);
  if (tightest == INT64_MAX) return DomainId();
  return counts.first_equal(*question_.tree, level, tightest);
}

// What the first domain in order takes, ignoring the leader.
int64_t KueuePlacer::most_segments(int level) const {
  IdRange domains = question_.tree->level(level);
  if (counts_.plain()) {
    int64_t most = largest(question_.leaves->pods.counts(domains));
    question_.leaves->pods.tighten(level, most);
    return most;
  }
  KueueCandidate best;
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    KueueCandidate two[] = {best, counts_[DomainId(id)]};
    if (best.domain.valid()) sort_beside(two, question_.fill);
    best = best.domain.valid() ? two[0] : two[1];
  }
  return best.segments;
}

int KueuePlacer::find_several(int level) {
  KueueNeed left = question_.need;
  KueueFill fill = question_.fill;
  candidates_.clear();
  chosen_.clear();
  IdRange domains = question_.tree->level(level);
  bool in_order = counts_.plain() && fill == KueueFill::LeastFree;
  if (in_order) {
    append_least(domains);
  } else {
    append(domains);
  }
  std::span<KueueCandidate> rest = candidates_;
  auto take_first = [&] {
    bool last = fill == KueueFill::BestFit && takes_all(rest.front(), left);
    chosen_.push_back(rest[last ? best_fit(rest, left) : 0]);
    rest = rest.subspan(1);
    return chosen_.back();
  };
  if (left.leaders > 0) {
    sort_beside(rest, fill);
    put_leader_first(rest, left);
    if (rest.empty() || rest.front().leaders == 0) return report_fitted(level, 0);
    left = {left.segments - take_first().segments_beside, 0};
  }
  if (!in_order) sort_alone(rest, fill);
  while (left.segments > 0 && !rest.empty()) left.segments -= take_first().segments;
  if (left.segments > 0) return report_fitted(level, question_.need.segments - left.segments);
  candidates_.swap(chosen_);
  return level;
}

// Leaves out domains that take nothing, unless a leader is needed.
void KueuePlacer::append(IdRange domains) {
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    KueueCandidate candidate = counts_[DomainId(id)];
    if (candidate.segments > 0 || question_.need.leaders > 0) candidates_.push_back(candidate);
  }
}

// Appends, in order, as many domains as take all: those that take least first.
void KueuePlacer::append_least(IdRange domains) {
  std::span<const int64_t> column = question_.leaves->pods.counts(domains);
  int64_t left = question_.need.segments;
  int64_t least = least_at_least(column, 1);
  for (; left > 0 && least < INT64_MAX; least = least_at_least(column, least + 1)) {
    for (size_t i = 0; i < column.size() && left > 0; ++i) {
      if (column[i] != least) continue;
      candidates_.push_back(counts_[DomainId(domains.first + i)]);
      left -= least;
    }
  }
}

// Above the level of the segments the children of all chosen domains are one pool.
void KueuePlacer::divide_pooled() {
  candidates_.clear();
  for (const DomainPods& part : parts_) append(question_.tree->children(part.domain));
  sort_alone(candidates_, question_.fill);
  parts_.clear();
  divide(candidates_, question_.need, counts_.segments().size, question_.fill, parts_);
}

// Each chosen domain divides what it got. The order is by the segments of the outermost layer, of
// which there are none below its level: smallest first, as Kueue does.
void KueuePlacer::divide_parts(int level, const KueueCounts& counts) {
  int64_t unit = counts_.segments().unit_below(level);
  above_.swap(parts_);
  parts_.clear();
  for (const DomainPods& part : above_) {
    candidates_.clear();
    IdRange children = question_.tree->children(part.domain);
    for (uint32_t id = children.first; id < children.last; ++id) {
      candidates_.push_back(counts[DomainId(id)]);
    }
    sort_alone(candidates_, question_.fill);
    for (KueueCandidate& candidate : candidates_) {
      candidate.segments = candidate.pods / unit;
      candidate.segments_beside = candidate.pods_beside / unit;
    }
    divide(candidates_, {part.pods / unit, part.leaders}, unit, question_.fill, parts_);
  }
}

void KueuePlacer::collect() {
  answer_.placed = true;
  for (const DomainPods& part : parts_) {
    if (part.leaders > 0) answer_.leader = part.domain;
    if (part.pods > 0) answer_.workers.push_back({part.domain, part.pods, 0});
  }
  std::sort(answer_.workers.begin(), answer_.workers.end(),
            [](const DomainPods& a, const DomainPods& b) { return a.domain < b.domain; });
}

int KueuePlacer::report_fitted(int level, int64_t fitted) {
  std::span<const SegmentLevel> layers = question_.request->segments;
  if (layers.size() < 2) {
    answer_.fitted.push_back({counts_.segments().level, fitted, question_.need.segments});
    return -1;
  }
  IdRange domains = question_.tree->level(level);
  uint32_t best = domains.first;
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    if (counts_[DomainId(id)].segments > counts_[DomainId(best)].segments) best = id;
  }
  for (const SegmentLevel& layer : layers) {
    IdRange below;
    if (domains.size() > 0) below = question_.tree->descendants(DomainId(best), layer.level);
    int64_t whole = 0;
    for (uint32_t id = below.first; id < below.last; ++id) {
      whole += counts_[DomainId(id)].pods / layer.size;
    }
    answer_.fitted.push_back({layer.level, whole, question_.request->pods / layer.size});
  }
  return -1;
}

namespace {

// The first domain of the layer whose segments are whole again with the missing pods.
DomainId broken_domain(const TopologyTree& tree, const SegmentLevel& layer,
                       std::span<const DomainPods> left, int64_t missing) {
  for (size_t i = 0; i < left.size();) {
    DomainId domain = tree.ancestor(left[i].domain, layer.level);
    int64_t pods = 0;
    for (; i < left.size() && tree.ancestor(left[i].domain, layer.level) == domain; ++i) {
      pods += left[i].pods;
    }
    if ((pods + missing) % layer.size == 0) return domain;
  }
  return DomainId();
}

}  // namespace

KueueReplacement kueue_replacement(const TopologyTree& tree, const KueueRequest& request,
                                   std::span<const DomainPods> left, int64_t missing) {
  KueueReplacement replacement;
  if (left.empty()) return replacement;
  std::span<const SegmentLevel> layers = request.segments;
  if (layers.empty() || missing % layers.front().size == 0) {
    if (request.mode == KueueMode::Required) {
      replacement.within = tree.ancestor(left.front().domain, request.level);
    }
    return replacement;
  }
  auto breaks = [&](const SegmentLevel& layer) { return missing % layer.size != 0; };
  auto innermost = std::find_if(layers.rbegin(), layers.rend(), breaks);
  replacement.within = broken_domain(tree, *innermost, left, missing);
  if (!replacement.within.valid()) return replacement;
  replacement.other_segments = true;
  auto whole = std::find_if_not(layers.rbegin(), layers.rend(), breaks);
  if (whole != layers.rend()) replacement.segment = *whole;
  return replacement;
}

}  // namespace trellis
