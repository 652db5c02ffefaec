#include "actions/waiting/gang_queue.h"

#include <algorithm>

#include "framework/queue_tree.h"
#include "session/placement/need_amounts.h"

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
  places_.resize(tree.size() + 1);
}

QueueId GangQueue::leaf_of(GangId gang) const {
  Maybe<QueueId> queue = session_.snapshot().queues().queue_of_gang()[gang];
  return queue && tree_->is_leaf(*queue) ? *queue : tree_->open_queue();
}

QueueId GangQueue::above(QueueId queue) const {
  QueueId parent = tree_->parent(queue);
  return parent.valid() ? parent : QueueId(places_.size() - 1);
}

QueueTurn GangQueue::turn(QueueId queue) const {
  const Place& leaf = places_[places_[queue].best];
  return {queue, leaf.next, &leaf.need};
}

bool GangQueue::goes_before(QueueId a, QueueId b) const {
  QueueTurn x = turn(a);
  QueueTurn y = turn(b);
  if (int verdict = rules_->compare(x, y); verdict != 0) return verdict < 0;
  return session_.gang_before(x.gang, y.gang);
}

void GangQueue::push(GangId gang) {
  ++size_;
  Gangs& gangs = has_lines() ? places_[leaf_of(gang)].gangs : flat_;
  if (!built_) {
    gangs.sorted.push_back(gang);
    return;
  }
  gangs.push(gang, later_);
  if (has_lines()) touch(leaf_of(gang));
}

GangId GangQueue::pop() {
  if (!built_) {
    build_all();
  } else {
    bring_in_order();
  }
  --size_;
  QueueId leaf = has_lines() ? places_[QueueId(places_.size() - 1)].best : QueueId();
  GangId gang = (leaf.valid() ? places_[leaf].gangs : flat_).pop(later_);
  if (leaf.valid()) touch(leaf);
  return gang;
}

void GangQueue::touch(QueueId leaf) {
  if (!built_ || places_[leaf].touched) return;
  places_[leaf].touched = true;
  touched_.push_back(leaf);
}

void GangQueue::build_all() {
  built_ = true;
  std::sort(flat_.sorted.begin(), flat_.sorted.end(), later_);
  if (!has_lines()) return;
  for (size_t i = tree_->order().size(); i-- > 0;) {
    QueueId queue = tree_->order()[i];
    if (!tree_->is_leaf(queue)) {
      rebuild(queue);
      continue;
    }
    std::vector<GangId>& gangs = places_[queue].gangs.sorted;
    std::sort(gangs.begin(), gangs.end(), later_);
    refresh_leaf(queue);
  }
  rebuild(QueueId());
}

void GangQueue::bring_in_order() {
  if (touched_.empty()) return;
  for (QueueId leaf : touched_) {
    places_[leaf].touched = false;
    refresh_leaf(leaf);
  }
  // Sifting repairs a heap in which one queue is out of order, not a heap with several.
  if (touched_.size() == 1) {
    refresh_path(touched_.front());
  } else {
    rebuild_lines();
  }
  touched_.clear();
}

void GangQueue::refresh_leaf(QueueId leaf) {
  Place& place = places_[leaf];
  place.best = place.gangs.empty() ? QueueId() : leaf;
  if (!place.best.valid()) return;
  place.next = place.gangs.next(later_);
  place.need = next_amounts(session_, place.next);
}

void GangQueue::refresh_path(QueueId leaf) {
  QueueId roots(places_.size() - 1);
  for (QueueId at = leaf; at != roots; at = above(at)) {
    Place& parent = places_[above(at)];
    bool inside = places_[at].position != kOut;
    if (!places_[at].best.valid()) {
      if (inside) leave(parent.line, at);
    } else if (inside) {
      sift_up(parent.line, places_[at].position);
      sift_down(parent.line, places_[at].position);
    } else {
      enter(parent.line, at);
    }
    parent.best = parent.line.empty() ? QueueId() : places_[parent.line.front()].best;
  }
}

// Rebuilds all heaps above touched leaves, the lower ones first.
void GangQueue::rebuild_lines() {
  for (QueueId leaf : touched_) {
    for (QueueId at = tree_->parent(leaf); at.valid(); at = tree_->parent(at)) {
      places_[at].touched = true;
    }
  }
  for (size_t i = tree_->order().size(); i-- > 0;) {
    QueueId queue = tree_->order()[i];
    if (!places_[queue].touched) continue;
    places_[queue].touched = false;
    rebuild(queue);
  }
  rebuild(QueueId());
}

// `parent` kNone: the roots.
void GangQueue::rebuild(QueueId parent) {
  Place& place = places_[parent.valid() ? parent : QueueId(places_.size() - 1)];
  place.line.clear();
  for (QueueId child : tree_->children(parent)) {
    places_[child].position = kOut;
    if (!places_[child].best.valid()) continue;
    place.line.push_back(child);
    places_[child].position = static_cast<uint32_t>(place.line.size() - 1);
  }
  for (size_t i = place.line.size() / 2; i-- > 0;) sift_down(place.line, static_cast<uint32_t>(i));
  place.best = place.line.empty() ? QueueId() : places_[place.line.front()].best;
}

void GangQueue::enter(std::vector<QueueId>& line, QueueId queue) {
  line.push_back(queue);
  places_[queue].position = static_cast<uint32_t>(line.size() - 1);
  sift_up(line, places_[queue].position);
}

void GangQueue::leave(std::vector<QueueId>& line, QueueId queue) {
  uint32_t position = places_[queue].position;
  places_[queue].position = kOut;
  QueueId last = line.back();
  line.pop_back();
  if (last == queue) return;
  put(line, position, last);
  sift_up(line, position);
  sift_down(line, places_[last].position);
}

void GangQueue::put(std::vector<QueueId>& line, uint32_t position, QueueId queue) {
  line[position] = queue;
  places_[queue].position = position;
}

void GangQueue::sift_up(std::vector<QueueId>& line, uint32_t position) {
  QueueId queue = line[position];
  while (position > 0) {
    uint32_t parent = (position - 1) / 2;
    if (!goes_before(queue, line[parent])) break;
    put(line, position, line[parent]);
    position = parent;
  }
  put(line, position, queue);
}

void GangQueue::sift_down(std::vector<QueueId>& line, uint32_t position) {
  QueueId queue = line[position];
  while (2 * position + 1 < line.size()) {
    uint32_t child = 2 * position + 1;
    if (child + 1 < line.size() && goes_before(line[child + 1], line[child])) ++child;
    if (!goes_before(line[child], queue)) break;
    put(line, position, line[child]);
    position = child;
  }
  put(line, position, queue);
}

}  // namespace trellis
