#include "session/explain/segment_room.h"

#include <algorithm>

namespace trellis {
namespace {

// The level that a layer's segments share; -1: none, or the topology does not have it.
int level_of(const SegmentLayer& layer, const Topology& topology, const StringTable& strings) {
  StrId word = layer.required.valid() ? layer.required : layer.preferred;
  if (!word.valid()) return -1;
  return find_level(topology, strings.view(word), strings).value_or(-1);
}

}  // namespace

SegmentRoom::SegmentRoom(const Session& session, TopologyId topology, const DemandPart& part,
                         const DomainCounts& pods) {
  const Cluster& cluster = session.cluster();
  const TopologyTree& tree = session.snapshot().trees()[topology];
  std::vector<int> levels;
  for (const SegmentLayer& layer : part.segments) {
    levels.push_back(level_of(layer, cluster.topologies()[topology], cluster.vocabulary().strings));
  }
  const AskedRow& row = part.rows.front();
  pods_ = row.pods;
  size_ = std::max<int32_t>(1, part.segments.front().size);
  binding_ = part.segments.front().required.valid();
  whole_.assign(tree.domain_count(), 0);
  rest_.assign(tree.domain_count(), 0);
  cut(tree, pods, levels, part.segments);
}

// Children come before their parents: what a domain holds is known when its turn comes.
void SegmentRoom::cut(const TopologyTree& tree, const DomainCounts& pods,
                      const std::vector<int>& levels, const std::vector<SegmentLayer>& layers) {
  int finest = *std::max_element(levels.begin(), levels.end());
  for (uint32_t id = 0; id < tree.domain_count(); ++id) {
    DomainId domain(id);
    bool whole_pods = tree.level_of(domain) >= finest;
    if (whole_pods) whole_[domain] = pods[domain];
    IdRange children = tree.children(domain);
    for (uint32_t child = children.first; child < children.last; ++child) {
      if (!whole_pods) whole_[domain] += whole_[DomainId(child)];
      rest_[domain] = std::max(rest_[domain], rest_[DomainId(child)]);
    }
    for (size_t layer = layers.size(); layer-- > 0;) {
      if (levels[layer] != tree.level_of(domain) || levels[layer] < 0) continue;
      int64_t size = std::max<int32_t>(1, layers[layer].size);
      int64_t whole = whole_[domain] / size * size;
      if (layer == 0) rest_[domain] = whole_[domain] - whole;
      whole_[domain] = whole;
    }
  }
}

SegmentFit SegmentRoom::in(DomainId domain) const {
  return {static_cast<int32_t>(size_), whole_[domain] / size_, (pods_ + size_ - 1) / size_};
}

bool SegmentRoom::holds(DomainId domain) const {
  if (!binding_) return true;
  int64_t takes = whole_[domain] / size_;
  int64_t whole = pods_ / size_;
  int64_t last = pods_ % size_;
  return takes > whole || (takes == whole && (last == 0 || rest_[domain] >= last));
}

}  // namespace trellis
