#include "session/explain/gangs_in_the_way.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trellis {
namespace {

class MovedGangs {
 public:
  MovedGangs(Session& session, const GangExplanation& explanation, const DomainJudgement& judgement)
      : session_(session),
        cluster_(session.cluster()),
        part_(explanation.part_of(judgement)),
        domain_(judgement.domain),
        start_(session.statement().checkpoint()) {
    nodes_ = nodes_of(session, domain_);
    inside_.resize(cluster_.nodes().size());
    for (NodeId node : nodes_) inside_[node] = 1;
  }
  ~MovedGangs() { session_.statement().rollback(start_); }
  MovedGangs(const MovedGangs&) = delete;
  MovedGangs& operator=(const MovedGangs&) = delete;

  std::vector<GangHolding> find() {
    std::vector<GangHolding> chosen = holdings_on(session_, nodes_);
    std::erase_if(chosen, [&](const GangHolding& one) { return !may_leave(one.gang); });
    std::stable_sort(chosen.begin(), chosen.end(), [&](const GangHolding& a, const GangHolding& b) {
      return order(a) < order(b);
    });
    size_t count = 0;
    while (!fits()) {
      if (count == std::min(chosen.size(), kMostMoved)) return {};
      evict(chosen[count++].gang);
    }
    chosen.resize(count);
    give_back(chosen);
    return chosen;
  }

 private:
  std::tuple<bool, int32_t, int64_t> order(const GangHolding& one) const {
    const Gang& gang = cluster_.gangs()[one.gang];
    int64_t gpus = one.holds.get(kGpu) + one.holds.get(kAmdGpu);
    return {!gang.preemptible, gang.priority, -(gpus > 0 ? gpus : one.holds.get(kCpu))};
  }

  bool may_leave(GangId gang) const {
    const std::vector<PodId>& pods = cluster_.pods_of(gang);
    return std::none_of(pods.begin(), pods.end(), [&](PodId pod) {
      return cluster_.pods()[pod].pod.hold == PodHold::OtherScheduler;
    });
  }

  void evict(GangId gang) {
    for (PodId pod : cluster_.pods_of(gang)) {
      PodState state = session_.snapshot().pod(pod);
      if (!is_active(state.status) || !state.node.valid() || inside_[state.node] == 0) continue;
      session_.statement().evict(pod, GangId());
    }
  }

  // Whether the pods fit once those that were evicted have left.
  bool fits() {
    return std::all_of(part_.rows.begin(), part_.rows.end(), [&](const AskedRow& row) {
      FitCache& fits = session_.fits();
      int64_t pods = domain_.topology.valid() ? fits.domain_counts(domain_.topology, row.pod_class,
                                                                   FitMode::Future)[domain_.domain]
                                              : fits.total(row.pod_class, FitMode::Future);
      return pods >= row.pods;
    });
  }

  // Gives back gangs that need not leave, the last ones first: they weigh most.
  void give_back(std::vector<GangHolding>& chosen) {
    for (size_t i = chosen.size(); i-- > 0;) {
      session_.statement().rollback(start_);
      for (size_t k = 0; k < chosen.size(); ++k) {
        if (k != i) evict(chosen[k].gang);
      }
      if (fits()) chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  Session& session_;
  const Cluster& cluster_;
  const GangPart& part_;
  DomainRef domain_;
  Statement::Checkpoint start_;
  std::span<const NodeId> nodes_;
  IndexedVector<NodeId, uint8_t> inside_;
};

}  // namespace

std::vector<GangHolding> gangs_in_the_way(Session& session, const GangExplanation& explanation,
                                          const DomainJudgement& judgement) {
  if (judgement.fits) return {};
  return MovedGangs(session, explanation, judgement).find();
}

}  // namespace trellis
