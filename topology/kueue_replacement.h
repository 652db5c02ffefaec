// Where Kueue looks for new leaves when a placed request has lost some, and in which segments.
//
// A broken segment is mended inside its own domain; a request with a required level stays in the
// domain where it is; any other may go anywhere. The new parts come from KueuePlacer with
// `KueueLeaves::within`, without a leader, and are added to those that are left.
// Cost: a pass over the parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "framework/ids.h"
#include "topology/kueue_request.h"
#include "topology/tree.h"

namespace trellis {

struct KueueReplacement {
  DomainId within;  // kNone: anywhere
  // Whether `segment` (nullopt: none) replaces the request's segments.
  bool other_segments = false;
  std::optional<SegmentLevel> segment;
};

// `left`: the leaves that stay, in order of path; `missing`: the pods that lost theirs.
KueueReplacement kueue_replacement(const TopologyTree& tree, const KueueRequest& request,
                                   std::span<const DomainPods> left, int64_t missing);

}  // namespace trellis
