// The waiting gangs in the order to try them: of sibling queues the queue whose turn it is, down to
// a leaf, and there the gang that goes before the others.
//
// Without queues, or without rules about them, all gangs are in one order.
// Guarantees: the order is that of the rules for the statement as it is at pop(), provided that
// settle() was called for a gang of every leaf whose amounts changed. A gang's position among the
// gangs of its queue may only change while the gang is out. Cost: pop and push O(log gangs + depth
// x log siblings); when several leaves changed since the last pop, O(siblings) for each heap above
// them.
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
  // The gang that pop() would return. REQUIRES: not empty.
  GangId next();
  // REQUIRES: not empty.
  GangId pop();
  // Whether the gang would go before the gangs of all other queues. REQUIRES: the last pop() was
  // from its queue; since then no amounts of other queues have changed, and no gang was pushed.
  bool has_turn(GangId gang) const;
  bool same_queue(GangId a, GangId b) const { return !has_queues() || leaf_of(a) == leaf_of(b); }
  // What the gang's queue holds has changed.
  void settle(GangId gang) {
    if (has_queues()) touch(leaf_of(gang));
  }

 private:
  static constexpr uint32_t kOut = UINT32_MAX;

  struct Later {
    const Session* session;
    bool operator()(GangId a, GangId b) const { return session->gang_before(b, a); }
  };

  // The gangs of one queue. Gangs that came before the first pop are sorted once, while their
  // records are at hand; gangs that are pushed later are in a heap.
  struct Gangs {
    std::vector<GangId> sorted;  // the next gang is last
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

  // A queue among its siblings, or the root queues' entry.
  struct Entry {
    Gangs gangs;                // of a leaf
    GangId next;                // of these gangs
    std::vector<QueueId> heap;  // of an inner queue: its children with gangs, a heap
    QueueId best;               // the leaf below it whose turn it is; kNone: no gangs
    uint32_t position = kOut;   // in the `heap` of its parent
    QueueAmounts need;          // of a leaf: what its first gang requests
    bool touched = false;
  };

  bool has_queues() const { return !entries_.empty(); }
  QueueId leaf_of(GangId gang) const;
  QueueId above(QueueId queue) const;  // its parent, or the root queues' entry
  QueueTurn turn(QueueId queue) const;
  bool goes_before(const QueueTurn& a, const QueueTurn& b) const;
  bool goes_before(QueueId a, QueueId b) const { return goes_before(turn(a), turn(b)); }
  QueueId best_sibling(QueueId queue) const;  // kNone: no other queue beside it has gangs

  void touch(QueueId leaf);
  QueueId best_leaf() const { return entries_[QueueId(entries_.size() - 1)].best; }
  void bring_in_order();
  void build_all();
  void refresh_leaf(QueueId leaf);
  void refresh_path(QueueId leaf);
  void rebuild_heaps();
  void rebuild(QueueId parent);
  void enter(std::vector<QueueId>& heap, QueueId queue);
  void leave(std::vector<QueueId>& heap, QueueId queue);
  void put(std::vector<QueueId>& heap, uint32_t position, QueueId queue);
  void sift_up(std::vector<QueueId>& heap, uint32_t position);
  void sift_down(std::vector<QueueId>& heap, uint32_t position);

  const Session& session_;
  const QueueRules* rules_ = nullptr;
  const QueueTree* tree_ = nullptr;
  Later later_;
  size_t size_ = 0;
  bool built_ = false;
  Gangs flat_;                             // without queues
  IndexedVector<QueueId, Entry> entries_;  // the last entry is that of the root queues
  std::vector<QueueId> touched_;           // leaves, since the last pop
};

}  // namespace trellis
