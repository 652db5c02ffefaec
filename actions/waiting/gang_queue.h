// The gangs that wait, in the order to try them: of the queues side by side the one whose turn it
// is, down to a leaf, and there the gang that goes before the others.
//
// Without queues, or without rules about them, there is one line of gangs.
// Guarantees: the order is that of the rules as the statement stands at pop(), provided that
// settle() was told of a gang of every leaf whose amounts changed. A gang's place among those of
// its queue may only change while the gang is out. Cost: pop and push O(log gangs + depth x log
// siblings); when several leaves changed since the last pop, O(siblings) for each line of theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/plugin.h"
#include "session/cycle/session.h"

namespace trellis {

class GangQueue {
 public:
  explicit GangQueue(const Session& session);

  void push(GangId gang);
  bool empty() const { return size_ == 0; }
  // REQUIRES: not empty.
  GangId pop();
  // What the gang's queue holds has changed.
  void settle(GangId gang) {
    if (has_lines()) touch(leaf_of(gang));
  }

 private:
  static constexpr uint32_t kOut = UINT32_MAX;

  struct Later {
    const Session* session;
    bool operator()(GangId a, GangId b) const { return session->gang_before(b, a); }
  };

  // Gangs of one queue. Those that came first are sorted once, while their records are at hand;
  // those that come back are a heap beside them.
  struct Gangs {
    std::vector<GangId> sorted;  // the next last
    std::vector<GangId> pushed;

    bool empty() const { return sorted.empty() && pushed.empty(); }
    bool pushed_is_next(Later later) const {
      return sorted.empty() || (!pushed.empty() && later(sorted.back(), pushed.front()));
    }
    GangId next(Later later) const {
      return pushed_is_next(later) ? pushed.front() : sorted.back();
    }
    void push(GangId gang, Later later);
    GangId pop(Later later);
  };

  // A queue in its line, or the line of the roots.
  struct Place {
    Gangs gangs;                // of a leaf
    GangId next;                // of them
    std::vector<QueueId> line;  // of an inner queue: its children with gangs, a heap
    QueueId best;               // the leaf below it whose turn it is; kNone: no gangs
    uint32_t position = kOut;   // in its parent's line
    QueueAmounts need;          // of a leaf: what its first gang asks for
    bool touched = false;
  };

  bool has_lines() const { return !places_.empty(); }
  QueueId leaf_of(GangId gang) const;
  QueueId above(QueueId queue) const;  // its parent, or the line of the roots
  QueueTurn turn(QueueId queue) const;
  bool goes_before(QueueId a, QueueId b) const;

  void touch(QueueId leaf);
  void bring_in_order();
  void build_all();
  void refresh_leaf(QueueId leaf);
  void refresh_path(QueueId leaf);
  void rebuild_lines();
  void rebuild(QueueId parent);
  void enter(std::vector<QueueId>& line, QueueId queue);
  void leave(std::vector<QueueId>& line, QueueId queue);
  void put(std::vector<QueueId>& line, uint32_t position, QueueId queue);
  void sift_up(std::vector<QueueId>& line, uint32_t position);
  void sift_down(std::vector<QueueId>& line, uint32_t position);

  const Session& session_;
  const QueueRules* rules_ = nullptr;
  const QueueTree* tree_ = nullptr;
  Later later_;
  size_t size_ = 0;
  bool built_ = false;
  Gangs flat_;                            // where there are no lines
  IndexedVector<QueueId, Place> places_;  // the last: the line of the roots
  std::vector<QueueId> touched_;          // leaves, since the last pop
};

}  // namespace trellis
