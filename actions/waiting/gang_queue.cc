#include "actions/waiting/gang_queue.h"

#include <algorithm>

#include "framework/queue_tree.h"
#include "session/placement/gang_needs.h"

namespace trellis {

void GangQueue::Gangs::push(GangId gang, Later later) {
  pushed.push_back(gang);
  std::push_heap(pushed.begin(), pushed.end(), later);
}

GangId GangQueue::Gangs::pop(Later later) {
  bool from_pushed = pushed_is_next(later);
  if (from_pushed) std::pop_heap(pushed.begin(), pushed.end(), later);
  std::vector<GangId>& gangs = from_pushed ? pushed : sorted;
  GangId gang = gangs.back();
  gangs.pop_back();
  return gang;
}

GangQueue::GangQueue(const Session& session) : session_(session), later_{&session} {
  const QueueTree& tree = session.snapshot().queues().tree();
  if (session.hooks().queue_rules == nullptr || tree.empty()) return;
  rules_ = session.hooks().queue_rules;
  tree_ = &tree;
  entries_.resize(tree.size() + 1);
}

QueueId GangQueue::leaf_of(GangId gang) const {
  Maybe<QueueId> queue = session_.snapshot().queues().queue_of_gang()[gang];
  return queue && tree_->is_leaf(*queue) ? *queue : tree_->open_queue();
}

QueueId GangQueue::above(QueueId queue) const {
  QueueId parent = tree_->parent(queue);
  return parent.valid() ? parent : QueueId(entries_.size() - 1);
}

QueueTurn GangQueue::turn(QueueId queue) const {
  const Entry& leaf = entries_[entries_[queue].best];
  return {queue, leaf.next, &leaf.need};
}

bool GangQueue::goes_before(const QueueTurn& a, const QueueTurn& b) const {
  if (int verdict = rules_->compare(a, b); verdict != 0) return verdict < 0;
  return session_.gang_before(a.gang, b.gang);
}

// The queue itself may be out of order in its heap; the others are in order.
QueueId GangQueue::best_sibling(QueueId queue) const {
  const std::vector<QueueId>& heap = entries_[above(queue)].heap;
  if (heap.empty()) return QueueId();
  if (heap.front() != queue) return heap.front();
  if (heap.size() == 1) return QueueId();
  return heap.size() > 2 && goes_before(heap[2], heap[1]) ? heap[2] : heap[1];
}

bool GangQueue::has_turn(GangId gang) const {
  if (!has_queues()) return true;
  QueueAmounts need = next_amounts(session_, gang);
  QueueId roots(entries_.size() - 1);
  for (QueueId at = leaf_of(gang); at != roots; at = above(at)) {
    QueueId rival = best_sibling(at);
    if (rival.valid() && !goes_before(QueueTurn{at, gang, &need}, turn(rival))) return false;
  }
  return true;
}

void GangQueue::push(GangId gang) {
  ++size_;
  Gangs& gangs = has_queues() ? entries_[leaf_of(gang)].gangs : flat_;
  if (!built_) {
    gangs.sorted.push_back(gang);
    return;
  }
  gangs.push(gang, later_);
  if (has_queues()) touch(leaf_of(gang));
}

GangId GangQueue::next() {
  bring_in_order();
  return has_queues() ? entries_[best_leaf()].next : flat_.next(later_);
}

GangId GangQueue::pop() {
  bring_in_order();
  --size_;
  QueueId leaf = has_queues() ? best_leaf() : QueueId();
  GangId gang = (leaf.valid() ? entries_[leaf].gangs : flat_).pop(later_);
  if (leaf.valid()) touch(leaf);
  return gang;
}

void GangQueue::touch(QueueId leaf) {
  if (!built_ || entries_[leaf].touched) return;
  entries_[leaf].touched = true;
  touched_.push_back(leaf);
}

void GangQueue::build_all() {
  built_ = true;
  std::sort(flat_.sorted.begin(), flat_.sorted.end(), later_);
  if (!has_queues()) return;
  for (size_t i = tree_->order().size(); i-- > 0;) {
    QueueId queue = tree_->order()[i];
    if (!tree_->is_leaf(queue)) {
      rebuild(queue);
      continue;
    }
    std::vector<GangId>& gangs = entries_[queue].gangs.sorted;
    std::sort(gangs.begin(), gangs.end(), later_);
    refresh_leaf(queue);
  }
  rebuild(QueueId());
}

void GangQueue::bring_in_order() {
  if (!built_) return build_all();
  if (touched_.empty()) return;
  for (QueueId leaf : touched_) {
    entries_[leaf].touched = false;
    refresh_leaf(leaf);
  }
  // Sifting repairs a heap in which one queue is out of order, not a heap with several.
  if (touched_.size() == 1) {
    refresh_path(touched_.front());
  } else {
    rebuild_heaps();
  }
  touched_.clear();
}

void GangQueue::refresh_leaf(QueueId leaf) {
  Entry& entry = entries_[leaf];
  entry.best = entry.gangs.empty() ? QueueId() : leaf;
  if (!entry.best.valid()) return;
  entry.next = entry.gangs.next(later_);
  entry.need = next_amounts(session_, entry.next);
}

void GangQueue::refresh_path(QueueId leaf) {
  QueueId roots(entries_.size() - 1);
  for (QueueId at = leaf; at != roots; at = above(at)) {
    Entry& parent = entries_[above(at)];
    bool inside = entries_[at].position != kOut;
    if (!entries_[at].best.valid()) {
      if (inside) leave(parent.heap, at);
    } else if (inside) {
      sift_up(parent.heap, entries_[at].position);
      sift_down(parent.heap, entries_[at].position);
    } else {
      enter(parent.heap, at);
    }
    parent.best = parent.heap.empty() ? QueueId() : entries_[parent.heap.front()].best;
  }
}

// Rebuilds all heaps above touched leaves, the lower ones first.
void GangQueue::rebuild_heaps() {
  for (QueueId leaf : touched_) {
    for (QueueId at = tree_->parent(leaf); at.valid(); at = tree_->parent(at)) {
      entries_[at].touched = true;
    }
  }
  for (size_t i = tree_->order().size(); i-- > 0;) {
    QueueId queue = tree_->order()[i];
    if (!entries_[queue].touched) continue;
    entries_[queue].touched = false;
    rebuild(queue);
  }
  rebuild(QueueId());
}

// `parent` kNone: the roots.
void GangQueue::rebuild(QueueId parent) {
  Entry& entry = entries_[parent.valid() ? parent : QueueId(entries_.size() - 1)];
  entry.heap.clear();
  for (QueueId child : tree_->children(parent)) {
    entries_[child].position = kOut;
    if (!entries_[child].best.valid()) continue;
    entry.heap.push_back(child);
    entries_[child].position = static_cast<uint32_t>(entry.heap.size() - 1);
  }
  for (size_t i = entry.heap.size() / 2; i-- > 0;) sift_down(entry.heap, static_cast<uint32_t>(i));
  entry.best = entry.heap.empty() ? QueueId() : entries_[entry.heap.front()].best;
}

void GangQueue::enter(std::vector<QueueId>& heap, QueueId queue) {
  heap.push_back(queue);
  entries_[queue].position = static_cast<uint32_t>(heap.size() - 1);
  sift_up(heap, entries_[queue].position);
}

void GangQueue::leave(std::vector<QueueId>& heap, QueueId queue) {
  uint32_t position = entries_[queue].position;
  entries_[queue].position = kOut;
  QueueId last = heap.back();
  heap.pop_back();
  if (last == queue) return;
  put(heap, position, last);
  sift_up(heap, position);
  sift_down(heap, entries_[last].position);
}

void GangQueue::put(std::vector<QueueId>& heap, uint32_t position, QueueId queue) {
  heap[position] = queue;
  entries_[queue].position = position;
}

void GangQueue::sift_up(std::vector<QueueId>& heap, uint32_t position) {
  QueueId queue = heap[position];
  while (position > 0) {
    uint32_t parent = (position - 1) / 2;
    if (!goes_before(queue, heap[parent])) break;
    put(heap, position, heap[parent]);
    position = parent;
  }
  put(heap, position, queue);
}

void GangQueue::sift_down(std::vector<QueueId>& heap, uint32_t position) {
  QueueId queue = heap[position];
  while (2 * position + 1 < heap.size()) {
    uint32_t child = 2 * position + 1;
    if (child + 1 < heap.size() && goes_before(heap[child + 1], heap[child])) ++child;
    if (!goes_before(heap[child], queue)) break;
    put(heap, position, heap[child]);
    position = child;
  }
  put(heap, position, queue);
}

}  // namespace trellis
