#include "actions/allocate.h"

#include <algorithm>
#include <vector>

#include "session/gang_step.h"
#include "session/placement/near_miss.h"
#include "session/session.h"

namespace trellis {
namespace {

// Gangs that wait, the next to try on top. A gang's place in the order may only change while it is
// out of the queue.
class GangQueue {
 public:
  explicit GangQueue(const Session& session) : after_{session} {}

  void push(GangId gang) {
    heap_.push_back(gang);
    std::push_heap(heap_.begin(), heap_.end(), after_);
  }
  bool empty() const { return heap_.empty(); }
  GangId pop() {
    std::pop_heap(heap_.begin(), heap_.end(), after_);
    GangId gang = heap_.back();
    heap_.pop_back();
    return gang;
  }

 private:
  struct After {
    const Session& session;
    bool operator()(GangId a, GangId b) const { return session.gang_before(b, a); }
  };

  After after_;
  std::vector<GangId> heap_;
};

struct Waiting {
  GangId gang;
  GangStep step;
};

}  // namespace

void Allocate::run(Session& session) {
  GangQueue queue(session);
  const Cluster& cluster = session.cluster();
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId gang(i);
    const GangCounts& counts = session.snapshot().gang_counts()[gang];
    bool short_of_pods = counts.placed < cluster.gangs()[gang].min_member;
    if (!cluster.alive(gang) || (counts.waiting == 0 && !short_of_pods)) continue;
    Reason refusal = gang_refusal(session, gang);
    if (refusal.code == ReasonCode::None) {
      queue.push(gang);
    } else {
      session.set_reasons(gang, {std::move(refusal)});
    }
  }

  GangSearch search(session);
  std::vector<Waiting> waiting;
  while (!queue.empty()) {
    GangId gang = queue.pop();
    GangStep step = place_next(session, search, gang);
    if (step.result == GangStep::Result::Placed) {
      session.commit(name());
      if (session.snapshot().gang_counts()[gang].waiting > 0) queue.push(gang);
    } else if (step.result == GangStep::Result::Waits) {
      waiting.push_back({gang, step});
    }
  }
  // Told at the end, when the cluster is as full as this action makes it.
  for (const Waiting& entry : waiting) {
    session.set_reasons(entry.gang,
                        {no_fit_reason(session, entry.gang, entry.step.needed, entry.step.code)});
  }
}

}  // namespace trellis
