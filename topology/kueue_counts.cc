#include "topology/kueue_counts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace trellis {
namespace {

int64_t whole(int64_t count, int64_t unit) { return unit > 1 ? count - count % unit : count; }

template <class T>
void copy_range(std::vector<T>& to, const std::vector<T>& from, IdRange range) {
  std::copy(from.begin() + range.first, from.begin() + range.last, to.begin() + range.first);
}

template <class T>
void zero(std::vector<T>& column, IdRange range) {
  if (column.empty()) return;
  std::fill(column.begin() + range.first, column.begin() + range.last, T{0});
}

}  // namespace

void KueueSegments::set(const KueueRequest& request, int level_count) {
  size = 1;
  level = level_count - 1;
  inner.assign(static_cast<size_t>(level_count), 0);
  if (request.segments.empty()) return;
  size = request.segments.front().size;
  level = request.segments.front().level;
  int above = level;
  for (const SegmentLevel& layer : request.segments.subspan(1)) {
    for (int at = above + 1; at <= layer.level; ++at) inner[static_cast<size_t>(at)] = layer.size;
    above = layer.level;
  }
}

int64_t KueueSegments::unit_below(int at) const {
  if (at < level) return size;
  return std::max<int64_t>(1, inner[static_cast<size_t>(at + 1)]);
}

void KueueCounts::fill(const TopologyTree& tree, const KueueRequest& request,
                       const KueueLeaves& leaves) {
  segments_of_.set(request, tree.level_count());
  bool alone = leaves.leaders.empty() && leaves.affinity.empty() && !leaves.within.valid();
  plain_ = alone && segments_of_.size == 1 && segments_of_.level + 1 == tree.level_count();
  if (alone && request.segments.size() < 2) {
    borrow(tree, leaves.pods);
    return;
  }
  keep(tree.domain_count(), !leaves.leaders.empty(), !leaves.affinity.empty());
  fill_leaves(tree, leaves);
  for (int level = tree.level_count() - 1; level >= 0; --level) sum(tree, tree.level(level), level);
}

void KueueCounts::borrow(const TopologyTree& tree, const DomainCounts& pods) {
  has_leader_ = has_affinity_ = false;
  first_with_segments_ = 0;
  pods_ = pods_beside_ = pods.counts({0, tree.root().value + 1}).data();
  segments_ = segments_beside_ = pods_;
  if (plain_) return;
  own_segments_.resize(tree.domain_count());
  segments_ = segments_beside_ = own_segments_.data();
  first_with_segments_ = tree.level(segments_of_.level).first;
  for (int level = segments_of_.level; level >= 0; --level) sum_segments(tree, level);
}

void KueueCounts::sum_segments(const TopologyTree& tree, int level) {
  IdRange domains = tree.level(level);
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    if (level == segments_of_.level) {
      own_segments_[id] = pods_[id] / segments_of_.size;
      continue;
    }
    IdRange children = tree.children(DomainId(id));
    own_segments_[id] = std::accumulate(own_segments_.begin() + children.first,
                                        own_segments_.begin() + children.last, int64_t{0});
  }
}

void KueueCounts::keep(size_t domains, bool leaders, bool affinity) {
  has_leader_ = leaders;
  has_affinity_ = affinity;
  first_with_segments_ = 0;
  own_pods_.resize(domains);
  own_segments_.resize(domains);
  if (leaders) {
    own_pods_beside_.resize(domains);
    own_segments_beside_.resize(domains);
    leaders_.resize(domains);
  }
  if (affinity) affinity_.resize(domains);
  pods_ = own_pods_.data();
  segments_ = own_segments_.data();
  pods_beside_ = leaders ? own_pods_beside_.data() : pods_;
  segments_beside_ = leaders ? own_segments_beside_.data() : segments_;
}

void KueueCounts::fill_leaves(const TopologyTree& tree, const KueueLeaves& leaves) {
  int deepest = tree.level_count() - 1;
  IdRange all = tree.level(deepest);
  IdRange counted = leaves.within.valid() ? tree.descendants(leaves.within, deepest) : all;
  zero(own_pods_, all);
  zero(own_segments_, all);
  auto copy = [&](auto from, auto& to) {
    std::copy_n(from.begin() + counted.first, counted.size(), to.begin() + counted.first);
  };
  copy(leaves.pods.counts(all), own_pods_);
  if (has_leader_) {
    zero(own_pods_beside_, all);
    zero(own_segments_beside_, all);
    zero(leaders_, all);
    copy(leaves.beside, own_pods_beside_);
    copy(leaves.leaders, leaders_);
  }
  if (has_affinity_) zero(affinity_, all);
  if (has_affinity_) copy(leaves.affinity, affinity_);
}

void KueueCounts::sum(const TopologyTree& tree, IdRange domains, int level) {
  bool is_leaf = level + 1 == tree.level_count();
  int64_t unit = is_leaf ? 1 : segments_of_.inner[static_cast<size_t>(level + 1)];
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    if (!is_leaf) {
      IdRange children = tree.children(DomainId(id));
      int64_t pods = 0;
      int64_t segments = 0;
      int64_t affinity = 0;
      for (uint32_t child = children.first; child < children.last; ++child) {
        pods += whole(own_pods_[child], unit);
        segments += own_segments_[child];
        if (has_affinity_) affinity += affinity_[child];
      }
      own_pods_[id] = pods;
      own_segments_[id] = segments;
      if (has_affinity_) affinity_[id] = affinity;
      if (has_leader_) sum_leaders(children, unit, DomainId(id));
    }
    if (level != segments_of_.level) continue;
    own_segments_[id] = own_pods_[id] / segments_of_.size;
    if (has_leader_) own_segments_beside_[id] = own_pods_beside_[id] / segments_of_.size;
  }
}

// Places the leader in one child: the one where it costs least.
void KueueCounts::sum_leaders(IdRange children, int64_t unit, DomainId domain) {
  bool fits = false;
  int64_t pods = INT64_MAX;
  int64_t segments = INT64_MAX;
  for (uint32_t child = children.first; child < children.last; ++child) {
    if (leaders_[child] == 0) continue;
    fits = true;
    pods = std::min(pods, whole(own_pods_[child], unit) - whole(own_pods_beside_[child], unit));
    segments = std::min(segments, own_segments_[child] - own_segments_beside_[child]);
  }
  uint32_t id = domain.value;
  leaders_[id] = fits ? 1 : 0;
  own_pods_beside_[id] = fits ? own_pods_[id] - pods : 0;
  own_segments_beside_[id] = fits ? own_segments_[id] - segments : 0;
}

KueueCandidate KueueCounts::operator[](DomainId domain) const {
  uint32_t id = domain.value;
  return {.domain = domain,
          .leaders = has_leader_ ? leaders_[id] : 0,
          .affinity = has_affinity_ ? affinity_[id] : 0,
          .pods = pods_[id],
          .segments = id < first_with_segments_ ? 0 : segments_[id],
          .pods_beside = pods_beside_[id],
          .segments_beside = id < first_with_segments_ ? 0 : segments_beside_[id]};
}

void KueueCounts::copy_below(const TopologyTree& tree, const KueueCounts& other, DomainId parent) {
  segments_of_ = other.segments_of_;
  std::fill(segments_of_.inner.begin(), segments_of_.inner.end(), 0);
  plain_ = false;
  keep(tree.domain_count(), other.has_leader_, other.has_affinity_);
  for (int level = tree.level_of(parent) + 1; level < tree.level_count(); ++level) {
    IdRange range = tree.descendants(parent, level);
    std::copy_n(other.pods_ + range.first, range.size(), own_pods_.begin() + range.first);
    if (range.first < other.first_with_segments_) {
      zero(own_segments_, range);
    } else {
      std::copy_n(other.segments_ + range.first, range.size(), own_segments_.begin() + range.first);
    }
    if (has_leader_) {
      copy_range(own_pods_beside_, other.own_pods_beside_, range);
      copy_range(own_segments_beside_, other.own_segments_beside_, range);
      copy_range(leaders_, other.leaders_, range);
    }
    if (has_affinity_) copy_range(affinity_, other.affinity_, range);
  }
}

void KueueCounts::clear(const TopologyTree& tree, DomainId domain) {
  for (int level = tree.level_of(domain); level < tree.level_count(); ++level) {
    IdRange range = tree.descendants(domain, level);
    zero(own_pods_, range);
    zero(own_segments_, range);
  }
  if (has_leader_) clear_leaders(tree, domain);
}

void KueueCounts::clear_leaders(const TopologyTree& tree, DomainId domain) {
  for (int level = tree.level_of(domain); level < tree.level_count(); ++level) {
    IdRange range = tree.descendants(domain, level);
    zero(own_pods_beside_, range);
    zero(own_segments_beside_, range);
    zero(leaders_, range);
  }
}

void KueueCounts::sum_again(const TopologyTree& tree, DomainId domain) {
  for (int level = tree.level_count() - 1; level >= tree.level_of(domain); --level) {
    sum(tree, tree.descendants(domain, level), level);
  }
}

}  // namespace trellis
