// Kueue's order of domains, and its division of pods among them: greedy, the last domain by best
// fit.
//
// Every order is total: ties are decided by path, which inside a level is the order of ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/kueue_counts.h"
#include "topology/kueue_request.h"

namespace trellis {

// What is still to be placed.
struct KueueNeed {
  int64_t segments = 0;
  int64_t leaders = 0;  // 0 or 1
};

// BestFit takes the largest domains first and the last one as tight as it can; LeastFree takes the
// smallest ones first, to fill them up.
enum class KueueFill : uint8_t { BestFit, LeastFree };

KueueFill kueue_fill(const KueueRequest& request);

// Whether the candidate takes all of `need`, beside the leader if one is needed.
bool takes_all(const KueueCandidate& candidate, const KueueNeed& need);

// sort_alone() sorts by affinity, then segments (most or least first), then fewest pods;
// sort_beside() by the counts beside the leader, domains that can hold the leader first.
void sort_alone(std::span<KueueCandidate> candidates, KueueFill fill);
void sort_beside(std::span<KueueCandidate> candidates, KueueFill fill);

// Moves to the front the first candidate whose leader costs so little that all of `need` still
// fits. Cost: a pass.
void put_leader_first(std::span<KueueCandidate> candidates, const KueueNeed& need);

// Among the first candidates of equal affinity, the first with the fewest segments that are enough
// (beside the leader if one is needed, and then only where the leader fits). 0: none is enough.
size_t best_fit(std::span<const KueueCandidate> candidates, const KueueNeed& need);

// Divides `need`, segments of `size` pods, among the candidates in the given order, which it may
// change, and appends the parts. Without room for all it appends nothing.
void divide(std::span<KueueCandidate> candidates, KueueNeed need, int64_t size, KueueFill fill,
            std::vector<DomainPods>& parts);

}  // namespace trellis
