// What Kueue's placement is asked, and what it answers: domains and counts, no objects.
//
// Words: a *leaf* is a domain of the deepest level. The *workers* are equal pods; the *leader* is
// one more pod of another size that goes to a leaf of the same domain. *Beside* the leader: what a
// domain still takes of the workers once the leader stands in it. Kueue's slices are segments: the
// outermost layer is what is divided first, the inner ones lie below its level.
// Kueue's TASRespectNodeAffinityPreferred is on where `KueueLeaves::affinity` is given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "topology/domain_counts.h"

namespace trellis {

// Unconstrained is also what asks for segments alone, or for nothing where all flavors have a
// topology.
enum class KueueMode : uint8_t { Required, Preferred, Unconstrained };

struct KueueGates {
  bool balanced = false;  // TASBalancedPlacement
  bool mixed = true;      // TASProfileMixed
};

struct KueueRequest {
  KueueMode mode = KueueMode::Required;
  int level = 0;     // Unconstrained: the deepest; with segments alone: 0
  int64_t pods = 0;  // workers
  // Outermost first, strictly finer, each size a divisor of the one before; the first not above
  // `level`. Empty: every pod by itself.
  std::span<const SegmentLevel> segments;
  KueueGates gates;
};

// How many workers each leaf takes. Nodes that lack a level count 0. Where a leaf is more than a
// node, Kueue divides the sum of what its nodes have free: let one node bear the count of all.
struct KueueLeaves {
  const DomainCounts& pods;
  // By leaf; empty: no leader, no preferred affinity.
  std::span<const uint8_t> leaders;  // 1: the leader fits
  std::span<const int64_t> beside;   // workers beside the leader; all of them where it does not fit
  std::span<const int64_t> affinity;  // sum of preferred node affinity
  DomainId within;                    // only leaves below it count; kNone: all
};

struct KueueShare {
  DomainId domain;
  int64_t pods = 0;
  int64_t leaders = 0;
  bool operator==(const KueueShare&) const = default;
};

// How many segments of a layer (of pods without segments) fitted.
struct KueueFitted {
  int level = 0;
  int64_t fitted = 0;
  int64_t wanted = 0;
  bool operator==(const KueueFitted&) const = default;
};

struct KueueAnswer {
  bool placed = false;
  // Leaves in order of path. Pods that do not fill a segment have none: Kueue drops them.
  std::vector<KueueShare> workers;
  DomainId leader;  // its leaf
  // When not placed: what Kueue's message counts; with several layers, one for each in the best
  // domain.
  std::vector<KueueFitted> fitted;
  bool operator==(const KueueAnswer&) const = default;
};

}  // namespace trellis
