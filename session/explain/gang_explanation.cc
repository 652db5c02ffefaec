#include "session/explain/gang_explanation.h"

#include <algorithm>
#include <span>

#include "framework/topology_levels.h"
#include "session/explain/segment_room.h"
#include "session/explain/shortage_columns.h"
#include "session/placement/mixed_search.h"
#include "session/scheduler.h"

namespace trellis {
namespace {

// Judges the candidate domains of one part.
class PartJudge {
 public:
  PartJudge(Session& session, const GangPart& part, uint32_t index, SearchBudget& budget)
      : session_(session),
        cluster_(session.cluster()),
        part_(part),
        index_(index),
        budget_(budget) {}

  std::vector<DomainJudgement> judge() {
    if (!find_topology()) return {};
    list_candidates();
    for (size_t row = 0; row < part_.rows.size(); ++row) count(row);
    if (part_.rows.size() == 1 && !part_.segments.empty()) judge_segments();
    for (size_t row = 0; row < part_.rows.size(); ++row) find_shortages(row);
    if (part_.rows.size() > 1) {
      find_joint_shortages();
      prove();
    }
    for (DomainJudgement& judgement : judgements_) {
      bool sees_all = !part_.by_count && (part_.segments.empty() || part_.rows.size() == 1);
      if (judgement.fits && !sees_all) judgement.proved = false;
    }
    return std::move(judgements_);
  }

 private:
  const TopologyTree& tree() const { return session_.snapshot().tree(topology_); }

  bool find_topology() {
    const TopologyConstraint& constraint = part_.topology;
    if (constraint.empty()) return true;  // the cluster
    const StringTable& strings = cluster_.vocabulary().strings;
    if (!constraint.topology.valid()) return false;
    topology_ = cluster_.find_topology(strings.view(constraint.topology));
    if (!topology_.valid()) return false;
    levels_ = resolve_levels(cluster_.topologies()[topology_], constraint, strings);
    return levels_.error == ReasonCode::None;
  }

  // Domains of the required level where pods of the part already are; none: it is free to go.
  std::vector<DomainId> bound_domains() const {
    std::vector<DomainId> bound;
    if (!topology_.valid() || levels_.required < 0) return bound;
    for (NodeId node : part_.placed) {
      DomainId domain = tree().ancestor(tree().domain_of(node), levels_.required);
      if (domain.valid()) bound.push_back(domain);
    }
    std::sort(bound.begin(), bound.end());
    bound.erase(std::unique(bound.begin(), bound.end()), bound.end());
    return bound;
  }

  void list_candidates() {
    int deepest = levels_.preferred >= 0 ? levels_.preferred : tree().level_count() - 1;
    int coarsest = levels_.required;
    size_t most = 0;
    for (int level = deepest; level >= coarsest; --level) most += tree().level(level).size();
    judgements_.reserve(most);
    std::vector<DomainId> bound = bound_domains();
    for (int level = deepest; level >= coarsest; --level) {
      IdRange range = tree().level(level);
      for (uint32_t id = range.first; id < range.last; ++id) {
        if (!bound.empty() && !std::binary_search(bound.begin(), bound.end(),
                                                  tree().ancestor(DomainId(id), coarsest))) {
          continue;
        }
        DomainJudgement& judgement = judgements_.emplace_back();
        judgement.part = index_;
        judgement.domain = {topology_, DomainId(id)};
        judgement.fits = true;
      }
    }
  }

  void count(size_t row) {
    const AskedRow& asked = part_.rows[row];
    const DomainCounts* counts = nullptr;
    if (topology_.valid()) {
      counts = &session_.fits().domain_counts(topology_, asked.pod_class, FitMode::Now);
    }
    int64_t total = session_.fits().total(asked.pod_class, FitMode::Now);
    for (size_t i = 0; i < judgements_.size(); ++i) {
      DomainJudgement& judgement = judgements_[i];
      int64_t pods = counts != nullptr ? (*counts)[judgement.domain.domain] : total;
      judgement.fits = judgement.fits && pods >= asked.pods;
      bool harder = row == 0 || pods * judgement.needed < judgement.allocatable_pods * asked.pods;
      if (!harder) continue;
      judgement.allocatable_pods = pods;
      judgement.later_pods = pods;
      judgement.needed = asked.pods;
      judgement.row = static_cast<uint32_t>(row);
    }
    if (session_.fits().anything_leaving()) count_later(row);
  }

  void count_later(size_t row) {
    PodClassId pod_class = part_.rows[row].pod_class;
    const DomainCounts* counts = nullptr;
    if (topology_.valid()) {
      counts = &session_.fits().domain_counts(topology_, pod_class, FitMode::Future);
    }
    int64_t total = session_.fits().total(pod_class, FitMode::Future);
    for (size_t i = 0; i < judgements_.size(); ++i) {
      if (judgements_[i].row != row) continue;
      DomainId domain = judgements_[i].domain.domain;
      judgements_[i].later_pods = counts != nullptr ? (*counts)[domain] : total;
    }
  }

  void judge_segments() {
    if (!topology_.valid()) return;
    SegmentRoom room(session_, topology_, part_);
    for (DomainJudgement& judgement : judgements_) {
      judgement.segments = room.in(judgement.domain.domain);
      judgement.fits = judgement.fits && room.holds(judgement.domain.domain);
    }
  }

  void find_shortages(size_t row) {
    std::vector<uint32_t> wanting;
    for (uint32_t i = 0; i < judgements_.size(); ++i) {
      const DomainJudgement& judgement = judgements_[i];
      if (judgement.row == row && judgement.allocatable_pods < judgement.needed)
        wanting.push_back(i);
    }
    if (wanting.empty()) return;
    PodClassId pod_class = part_.rows[row].pod_class;
    PodColumn pods(session_, tree());
    for (const ResourceAmount& item : cluster_.pod_classes()[pod_class].requests.items()) {
      pods.count(item);
      for (uint32_t i : wanting) {
        DomainJudgement& judgement = judgements_[i];
        int64_t missing = judgement.needed - pods.in(tree().node_range(judgement.domain.domain));
        if (missing > 0) judgement.shortages.push_back({item.resource, missing * item.amount});
      }
    }
    for (uint32_t i : wanting) {
      if (judgements_[i].shortages.empty()) find_narrowest(pod_class, judgements_[i]);
    }
  }

  // Every resource suffices for itself, but they are not free on the same nodes.
  void find_narrowest(PodClassId pod_class, DomainJudgement& judgement) {
    std::span<const NodeId> nodes = nodes_of(session_, judgement.domain);
    if (auto shortage = shared_gpu_shortage(session_, pod_class, nodes, judgement.needed)) {
      judgement.shortages.push_back(*shortage);
    } else if (auto narrowest = narrowest_resource(session_, pod_class, nodes, judgement.needed)) {
      judgement.shortages.push_back(*narrowest);
    }
  }

  // Of pods that differ: what all of them ask for together, against what is free.
  void find_joint_shortages() {
    ResourceList demand;
    for (const AskedRow& row : part_.rows) {
      for (const ResourceAmount& item : cluster_.pod_classes()[row.pod_class].requests.items()) {
        demand.add(item.resource, item.amount * row.pods);
      }
    }
    AmountColumn free(session_, tree());
    for (const ResourceAmount& item : demand.items()) {
      free.sum_up(item.resource);
      for (DomainJudgement& judgement : judgements_) {
        int64_t missing = item.amount - free.in(tree().node_range(judgement.domain.domain));
        if (missing > 0) raise_shortage(judgement, {item.resource, missing});
      }
    }
  }

  static void raise_shortage(DomainJudgement& judgement, Shortage shortage) {
    judgement.fits = false;
    for (Shortage& known : judgement.shortages) {
      if (known.resource != shortage.resource) continue;
      known.by = std::max(known.by, shortage.by);
      return;
    }
    judgement.shortages.push_back(shortage);
  }

  // Counts of pods that differ are an upper bound only.
  void prove() {
    std::vector<SearchRow> rows;
    for (const AskedRow& row : part_.rows) {
      bool all_there = static_cast<int64_t>(row.waiting.size()) == row.pods;
      if (all_there) rows.push_back({row.pod_class, row.waiting});
    }
    for (DomainJudgement& judgement : judgements_) {
      if (!judgement.fits) continue;
      if (rows.size() != part_.rows.size() || budget_.exhausted) {
        judgement.proved = false;
        continue;
      }
      NodeGroup group;
      group.topology = topology_;
      group.domain = judgement.domain.domain;
      group.exact = false;
      group.parts.push_back({nodes_of(session_, judgement.domain), part_.pods()});
      auto checkpoint = session_.statement().checkpoint();
      judgement.fits = MixedSearch(session_, budget_).place(rows, group);
      session_.statement().rollback(checkpoint);
      if (judgement.fits || !budget_.exhausted) continue;
      judgement.fits = true;
      judgement.proved = false;
    }
  }

  Session& session_;
  const Cluster& cluster_;
  const GangPart& part_;
  uint32_t index_;
  SearchBudget& budget_;
  TopologyId topology_;
  ResolvedLevels levels_;
  std::vector<DomainJudgement> judgements_;
};

}  // namespace

GangExplanation explain_gang(Session& session, GangId gang) {
  GangExplanation explanation;
  explanation.parts = gang_parts(session, gang);
  SearchBudget budget{session.config().limits.search_budget};
  for (uint32_t i = 0; i < explanation.parts.size(); ++i) {
    std::vector<DomainJudgement> judged =
        PartJudge(session, explanation.parts[i], i, budget).judge();
    if (explanation.domains.empty()) {
      explanation.domains = std::move(judged);
    } else {
      explanation.domains.insert(explanation.domains.end(), judged.begin(), judged.end());
    }
  }
  return explanation;
}

GangExplanation explain_gang(Scheduler& scheduler, GangId gang) {
  return explain_gang(scheduler.reopen_without(gang), gang);
}

}  // namespace trellis
