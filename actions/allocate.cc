#include "actions/allocate.h"

#include <algorithm>
#include <utility>
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
  explicit GangQueue(const Session& session) : later_{session} {}

  void push(GangProgress gang) {
    heap_.push_back(std::move(gang));
    std::push_heap(heap_.begin(), heap_.end(), later_);
  }
  bool empty() const { return heap_.empty(); }
  GangProgress pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later_);
    GangProgress gang = std::move(heap_.back());
    heap_.pop_back();
    return gang;
  }

 private:
  struct Later {
    const Session& session;
    bool operator()(const GangProgress& a, const GangProgress& b) const {
      return session.gang_before(b.gang(), a.gang());
    }
  };

  Later later_;
  std::vector<GangProgress> heap_;
};

// Whether the gang has, or is to have, pods that are not on their way out.
bool is_live(const Session& session, GangId gang) {
  const std::vector<PodId>& pods = session.cluster().pods_of(gang);
  return pods.empty() || std::any_of(pods.begin(), pods.end(), [&](PodId pod) {
           PodStatus status = session.snapshot().pod(pod).status;
           return status == PodStatus::Pending || stays(status);
         });
}

bool wants_pods(const Session& session, GangId gang) {
  const GangCounts& counts = session.snapshot().gang_counts()[gang];
  if (counts.waiting > 0) return true;
  return !session.has_minimum(gang) && is_live(session, gang);
}

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
    if (!cluster.alive(gang) || !wants_pods(session, gang)) continue;
    std::vector<Reason> refusals = gang_refusals(session, gang);
    if (refusals.empty()) {
      queue.push(GangProgress(gang));
    } else {
      session.set_reasons(gang, std::move(refusals));
    }
  }

  GangSearch search(session);
  std::vector<Waiting> waiting;
  while (!queue.empty()) {
    GangProgress progress = queue.pop();
    if (session.probe() != nullptr) session.probe()->gang_begins(progress.gang());
    GangStep step = progress.next(session, search);
    if (session.probe() != nullptr) session.probe()->gang_ends(progress.gang());
    if (step.result == GangStep::Result::Placed) {
      session.commit(name());
      if (session.snapshot().gang_counts()[progress.gang()].waiting > 0) {
        queue.push(std::move(progress));
      }
    } else if (step.result == GangStep::Result::Waits) {
      waiting.push_back({progress.gang(), step});
    }
  }
  // Told at the end, when the cluster is as full as this action makes it.
  for (const Waiting& entry : waiting) {
    session.set_reasons(entry.gang,
                        {no_fit_reason(session, entry.gang, entry.step.needed, entry.step.code)});
  }
}

}  // namespace trellis
