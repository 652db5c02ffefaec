// The request to Kueue's placement, and its answer: domains and counts, no objects.
//
// Words: a *leaf* is a domain of the deepest level. The *workers* are equal pods; the *leader* is
// one more pod of another size that is placed in a leaf of the same domain. *Beside* the leader:
// the workers that a domain still takes once the leader is in it. Kueue's slices are segments: the
// outermost layer is divided first, the inner ones are below its level.
// Kueue's TASRespectNodeAffinityPreferred is on where `KueueLeaves::affinity` is given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "topology/domain_counts.h"

namespace trellis {

// Unconstrained is also the mode of a request for segments alone, and of no request where all
// flavors have a topology.
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

// The number of workers that each leaf takes. Nodes that lack a level count 0. Where a leaf has
// several nodes, Kueue divides the sum of what its nodes have free: one node then has the count of
// all.
struct KueueLeaves {
  const DomainCounts& pods;
  // By leaf; empty: no leader, no preferred affinity.
  std::span<const uint8_t> leaders;  // 1: the leader fits
  std::span<const int64_t> beside;   // workers beside the leader; all of them where it does not fit
  std::span<const int64_t> affinity;  // sum of preferred node affinity
  DomainId within;                    // only leaves below it count; kNone: all
};

struct DomainPods {
  DomainId domain;
  int64_t pods = 0;
  int64_t leaders = 0;
  bool operator==(const DomainPods&) const = default;
};

// The number of segments of a layer (of pods without segments) that fitted.
struct KueueFitted {
  int level = 0;
  int64_t fitted = 0;
  int64_t wanted = 0;
  bool operator==(const KueueFitted&) const = default;
};

struct KueueAnswer {
  bool placed = false;
  // Leaves in order of path. Pods that do not fill a segment have no leaf: Kueue drops them.
  std::vector<DomainPods> workers;
  DomainId leader;  // its leaf
  // When not placed: the counts of Kueue's message; with several layers, one for each in the best
  // domain.
  std::vector<KueueFitted> fitted;
  bool operator==(const KueueAnswer&) const = default;
};

}  // namespace trellis
