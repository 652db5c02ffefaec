// Kueue's placement (its TAS algorithm), domain by domain: where a request fits, and its division
// down to the leaves. Profile `kueue` gives Kueue's own answer, so its habits are kept, good or
// bad.
//
// Preferred looks for one domain that takes all, at its level, then one level up, and so on; only
// the coarsest level is spread over several. Required looks at its level alone. Unconstrained
// spreads over its level.
// Cost: without leader, segments and affinity a pass over the counts of the levels that are
// examined, and sorting the children of the domains that are chosen. Otherwise a pass over all
// domains first. A placer that is used again allocates no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "topology/kueue_balanced.h"
#include "topology/kueue_counts.h"
#include "topology/kueue_division.h"
#include "topology/kueue_request.h"
#include "topology/tree.h"

namespace trellis {

class KueuePlacer {
 public:
  // Valid until the next call.
  const KueueAnswer& place(const TopologyTree& tree, const KueueRequest& request,
                           const KueueLeaves& leaves);

 private:
  struct Question {
    const TopologyTree* tree = nullptr;
    const KueueRequest* request = nullptr;
    const KueueLeaves* leaves = nullptr;
    KueueNeed need;
    KueueFill fill = KueueFill::BestFit;
  };

  // Each fills `candidates_` with the domains that take part in the division and returns their
  // level; -1 when the request does not fit, and then the answer contains how much did.
  int find_level();
  int find_several(int level);

  DomainId find_single(int level) const;
  DomainId find_single_plain(int level) const;
  int64_t most_segments(int level) const;

  void append(IdRange domains);
  void append_least(IdRange domains);
  void divide_pooled();
  void divide_parts(int level, const KueueCounts& counts);
  void collect();
  int report_fitted(int level, int64_t fitted);  // returns -1

  Question question_;
  KueueCounts counts_;
  KueueBalanced balanced_;
  std::vector<KueueCandidate> candidates_;
  std::vector<KueueCandidate> chosen_;
  std::vector<DomainPods> parts_;
  std::vector<DomainPods> above_;
  KueueAnswer answer_;
};

// Where Kueue looks for new leaves when a placed request has lost some, and in which segments.
//
// A broken segment is mended inside its own domain; a request with a required level stays in the
// domain where it is; any other may go anywhere. The new parts come from KueuePlacer with
// `KueueLeaves::within`, without a leader, and are added to those that are left.
// Cost: a pass over the parts.
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
