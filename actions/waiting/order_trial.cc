#include "actions/waiting/order_trial.h"

#include <algorithm>
#include <utility>

namespace trellis {

OrderTrial::OrderTrial(const Input& input, std::vector<GangTurn>& turns)
    : in_(input), turns_(turns), steps_(kStepsPerGang * static_cast<int64_t>(turns.size())) {
  for (const GangTurn& turn : turns) work_of_.emplace_back(turn.gang(), turn.work);
}

// Takes back the turns from the first on that is another; returns how many are left.
size_t OrderTrial::keep_front(std::span<const GangId> order) {
  size_t same = 0;
  while (same < std::min(order.size(), turns_.size()) && turns_[same].gang() == order[same]) ++same;
  if (same < turns_.size()) {
    in_.session.statement().rollback(turns_[same].start);
    turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(same), turns_.end());
  }
  return same;
}

void OrderTrial::serve(GangId gang) {
  auto known = std::ranges::find(work_of_, gang, &std::pair<GangId, int64_t>::first);
  GangTurn& turn = turns_.emplace_back(gang);
  turn.progress = GangProgress(gang, known->second);
  turn.work = known->second;
  turn.start = in_.session.statement().checkpoint();
  turn.step = turn.progress.next(in_.session, in_.search);
  // What a search costs counts the same where its result was kept.
  in_.work -= turn.waits() ? turn.step.work : turn.work - turn.progress.work_left();
  --steps_;
}

bool OrderTrial::run(std::span<const GangId> order) {
  for (size_t i = keep_front(order); i < order.size(); ++i) {
    if (spent() || !in_.queue.has_turn(order[i])) return false;
    serve(order[i]);
  }
  return true;
}

void OrderTrial::restore(std::span<const GangId> order, std::span<const GangTurn> waiting) {
  for (size_t i = keep_front(order); i < order.size(); ++i) {
    auto known = std::ranges::find(waiting, order[i], &GangTurn::gang);
    if (known == waiting.end()) {
      serve(order[i]);
    } else {
      turns_.push_back(*known);
      turns_.back().start = in_.session.statement().checkpoint();
    }
  }
}

}  // namespace trellis
