#include "topology/kueue_replacement.h"

#include <algorithm>

namespace trellis {
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
