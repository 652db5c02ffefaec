// The work that a search may still do.
//
// Words: a unit of *work* is a node, a domain or a row of equal pods that is examined, some 10 ns;
// a pod that is placed or taken back again is several. Guarantees: the counted work depends only on
// the input of the search, never on results that are kept from before, so that a search ends at the
// same point wherever it runs. Cost: spend O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "session/snapshot/change_log.h"
#include "session/snapshot/snapshot.h"

namespace trellis {

// The work of checking whether a node takes a pod, terms between pods included; of giving a node
// its position in a ranking by groups; and of scoring a group against others.
inline constexpr size_t kVerdictWork = 4;
inline constexpr size_t kRankWork = 8;
inline constexpr size_t kScoreWork = 4;

class SearchBudget {
 public:
  SearchBudget(const Snapshot& snapshot, int64_t work) : changes_(snapshot.changes()) {
    refill(work);
  }

  void refill(int64_t work) {
    work_ = work;
    left_ = work;
    exhausted_ = false;
    seen_ = changes_.end();
  }

  // Each placement costs every pod class of the search a look at its node.
  void set_classes(size_t classes) { work_per_move_ = kMoveWork * (classes + 1); }

  // Subtracts the work, and that of what was placed and taken back since the last call. False once
  // more was done than allowed.
  bool spend(size_t work) {
    uint64_t moves = changes_.end() - seen_;
    left_ -= static_cast<int64_t>(work + work_per_move_ * moves);
    seen_ += moves;
    exhausted_ = exhausted_ || left_ < 0;
    return !exhausted_;
  }

  // The same for work that was begun in time: it may take twice as much again, so that a long but
  // straight piece of work is not cut in the middle.
  bool go_on(size_t work) {
    spend(work);
    return left_ >= -2 * work_;
  }

  int64_t left() {
    spend(0);
    return left_;
  }

  // A budget of its own with this part of what is left; charge() subtracts what it has used.
  SearchBudget part(int64_t of) {
    SearchBudget part = *this;
    part.refill(std::max<int64_t>(0, left()) / of);
    return part;
  }
  // REQUIRES: spend() was not called since part().
  void charge(SearchBudget& part) {
    left_ -= part.work_ - part.left();
    seen_ = changes_.end();
  }

  // True: a search that found nothing proves nothing.
  bool exhausted() const { return exhausted_; }
  // Marks that not all was tried, whatever is left.
  void give_up() { exhausted_ = true; }
  // Clears the mark: what was not tried does not matter.
  void forgive() { exhausted_ = false; }

 private:
  static constexpr size_t kMoveWork = 8;

  const ChangeLog& changes_;
  int64_t work_ = 0;  // allowed
  int64_t left_ = 0;
  bool exhausted_ = false;
  uint64_t seen_ = 0;  // position in the change log
  size_t work_per_move_ = 2 * kMoveWork;
};

}  // namespace trellis
