#include "session/explain/domain_judge.h"

#include <algorithm>
#include <span>

#include "framework/topology_levels.h"
#include "session/explain/segment_room.h"
#include "session/explain/shortage_columns.h"
#include "session/placement/mixed_search.h"
#include "topology/tree.h"

namespace trellis {
namespace {

// Judges the candidate domains of one part.
class DomainJudge {
 public:
  DomainJudge(Session& session, uint32_t part, SearchBudget& budget, DemandExplanation& explanation)
      : session_(session),
        cluster_(session.cluster()),
        explanation_(explanation),
        part_(explanation.parts[part]),
        index_(part),
        budget_(budget) {}

  // Appends its judgements to the explanation.
  void judge() {
    if (!find_topology()) return;
    first_ = explanation_.domains.size();
    list_candidates();
    for (size_t row = 0; row < part_.rows.size(); ++row) count(row);
    if (part_.rows.size() == 1 && !part_.segments.empty()) judge_segments();
    if (part_.rows.size() > 1) sum_up_demand();
    for (size_t row = 0; row < part_.rows.size(); ++row) find_shortages(row);
    if (part_.rows.size() > 1) prove();
    bool sees_all = !part_.by_count && (part_.segments.empty() || part_.rows.size() == 1);
    for (DomainJudgement& judgement : judgements()) {
      if (judgement.fits && !sees_all) judgement.proved = false;
    }
  }

 private:
  const TopologyTree& tree() const { return session_.snapshot().tree(topology_); }
  std::span<DomainJudgement> judgements() {
    return std::span(explanation_.domains).subspan(first_);
  }

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

  void list_candidates() {
    int deepest = levels_.preferred >= 0 ? levels_.preferred : tree().level_count() - 1;
    int coarsest = levels_.required;
    size_t most = first_;
    for (int level = deepest; level >= coarsest; --level) most += tree().level(level).size();
    explanation_.domains.reserve(most);
    bool bound = topology_.valid() && coarsest >= 0 && !part_.placed.empty();
    std::vector<DomainId> homes;
    if (bound) homes = home_domains(tree(), part_.placed, coarsest);
    DomainJudgement judgement;
    judgement.part = index_;
    judgement.domain.topology = topology_;
    judgement.fits = true;
    for (int level = deepest; level >= coarsest; --level) {
      note_size(level);
      IdRange range = tree().level(level);
      for (uint32_t id = range.first; id < range.last; ++id) {
        judgement.domain.domain = DomainId(id);
        bool open = !bound || std::ranges::binary_search(
                                  homes, tree().ancestor(judgement.domain.domain, coarsest));
        if (open) explanation_.domains.push_back(judgement);
      }
    }
  }

  void note_size(int level) {
    if (level < 0 || !topology_.valid()) return;
    LevelSize size{topology_, level, 0};
    IdRange range = tree().level(level);
    for (uint32_t id = range.first; id < range.last; ++id) {
      auto nodes = static_cast<int64_t>(tree().nodes(DomainId(id)).size());
      size.nodes = std::max(size.nodes, nodes);
    }
    explanation_.levels.push_back(size);
  }

  // Pods that differ are judged by those that fit least often.
  void count(size_t row) {
    const AskedRow& asked = part_.rows[row];
    RowCount now = counts_of(asked.pod_class, FitMode::Now);
    for (DomainJudgement& judgement : judgements()) {
      int64_t pods = now[judgement.domain.domain];
      judgement.fits = judgement.fits && pods >= asked.pods;
      bool harder = row == 0 || pods * judgement.needed < judgement.allocatable_pods * asked.pods;
      if (!harder) continue;
      judgement.allocatable_pods = pods;
      judgement.later_pods = pods;
      judgement.needed = asked.pods;
      judgement.row = static_cast<uint32_t>(row);
    }
    if (!session_.fits().anything_leaving()) return;
    RowCount later = counts_of(asked.pod_class, FitMode::Future);
    for (DomainJudgement& judgement : judgements()) {
      if (judgement.row == row) judgement.later_pods = later[judgement.domain.domain];
    }
  }

  // The number of pods that fit in each domain, or in the whole cluster.
  struct RowCount {
    const DomainCounts* counts = nullptr;
    int64_t total = 0;
    int64_t operator[](DomainId domain) const {
      return counts != nullptr ? (*counts)[domain] : total;
    }
  };

  RowCount counts_of(PodClassId pod_class, FitMode mode) {
    if (!topology_.valid()) return {nullptr, session_.fits().total(pod_class, mode)};
    return {&session_.fits().domain_counts(topology_, pod_class, mode), 0};
  }

  void judge_segments() {
    if (!topology_.valid()) return;
    SegmentRoom room(session_, topology_, part_);
    for (DomainJudgement& judgement : judgements()) {
      judgement.segments = static_cast<uint32_t>(explanation_.segments.size());
      explanation_.segments.push_back(room.in(judgement.domain.domain));
      judgement.fits = judgement.fits && room.holds(judgement.domain.domain);
    }
  }

  // For pods that differ: what all of them request together, against what is free.
  void sum_up_demand() {
    for (const AskedRow& row : part_.rows) {
      for (const ResourceAmount& item : cluster_.pod_classes()[row.pod_class].requests.items()) {
        demand_.add(item.resource, saturating_product(item.amount, row.pods));
      }
    }
    for (const ResourceAmount& item : demand_.items()) {
      free_.emplace_back(session_, tree()).sum_up(item.resource);
    }
  }

  // Finds the shortages of the domains where the pods of this row fit least often.
  void find_shortages(size_t row) {
    std::vector<PodColumn> columns;
    for (DomainJudgement& judgement : judgements()) {
      if (judgement.row != row || (judgement.fits && demand_.empty())) continue;
      if (columns.empty()) columns = columns_of(part_.rows[row].pod_class);
      judgement.first_shortage = static_cast<uint32_t>(explanation_.shortages.size());
      if (judgement.allocatable_pods < judgement.needed) {
        find_own_shortages(part_.rows[row].pod_class, columns, judgement);
      }
      find_joint_shortages(judgement);
      judgement.shortages =
          static_cast<uint32_t>(explanation_.shortages.size()) - judgement.first_shortage;
    }
  }

  std::vector<PodColumn> columns_of(PodClassId pod_class) {
    std::vector<PodColumn> columns;
    explanation_.shortages.reserve(explanation_.shortages.size() + judgements().size());
    for (const ResourceAmount& item : cluster_.pod_classes()[pod_class].requests.items()) {
      columns.emplace_back(session_, tree()).count(item);
    }
    return columns;
  }

  void find_own_shortages(PodClassId pod_class, std::span<const PodColumn> columns,
                          const DomainJudgement& judgement) {
    std::span<const ResourceAmount> requests = cluster_.pod_classes()[pod_class].requests.items();
    IdRange nodes = tree().node_range(judgement.domain.domain);
    size_t before = explanation_.shortages.size();
    for (size_t i = 0; i < requests.size(); ++i) {
      int64_t missing = judgement.needed - columns[i].in(nodes);
      if (missing <= 0) continue;
      explanation_.shortages.push_back(
          {requests[i].resource, saturating_product(requests[i].amount, missing)});
    }
    if (explanation_.shortages.size() == before) find_narrowest(pod_class, judgement);
  }

  // Every resource suffices by itself, but they are not free on the same nodes.
  void find_narrowest(PodClassId pod_class, const DomainJudgement& judgement) {
    std::span<const NodeId> nodes = nodes_of(session_, judgement.domain);
    auto shortage = shared_gpu_shortage(session_, pod_class, nodes, judgement.needed);
    if (!shortage) shortage = narrowest_resource(session_, pod_class, nodes, judgement.needed);
    if (shortage) explanation_.shortages.push_back(*shortage);
  }

  void find_joint_shortages(DomainJudgement& judgement) {
    for (size_t i = 0; i < free_.size(); ++i) {
      const ResourceAmount& item = demand_.items()[i];
      int64_t missing = item.amount - free_[i].in(tree().node_range(judgement.domain.domain));
      if (missing <= 0) continue;
      judgement.fits = false;
      auto begin = explanation_.shortages.begin() + judgement.first_shortage;
      auto known = std::find_if(begin, explanation_.shortages.end(), [&](const Shortage& shortage) {
        return shortage.resource == item.resource;
      });
      if (known == explanation_.shortages.end()) {
        explanation_.shortages.push_back({item.resource, missing});
      } else {
        known->by = std::max(known->by, missing);
      }
    }
  }

  // Counts of pods that differ are an upper bound only.
  void prove() {
    std::vector<SearchRow> rows;
    for (const AskedRow& row : part_.rows) {
      bool all_there = static_cast<int64_t>(row.waiting.size()) == row.pods;
      if (all_there) rows.push_back({row.pod_class, row.waiting});
    }
    for (DomainJudgement& judgement : judgements()) {
      if (!judgement.fits) continue;
      if (rows.size() != part_.rows.size() || budget_.exhausted()) {
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
      if (judgement.fits || !budget_.exhausted()) continue;
      judgement.fits = true;
      judgement.proved = false;
    }
  }

  Session& session_;
  const Cluster& cluster_;
  DemandExplanation& explanation_;
  const DemandPart& part_;
  uint32_t index_;
  SearchBudget& budget_;
  TopologyId topology_;
  ResolvedLevels levels_;
  size_t first_ = 0;                // of the part's judgements
  ResourceList demand_;             // of pods that differ, together
  std::vector<AmountColumn> free_;  // as demand_
};

}  // namespace

void judge_domains(Session& session, uint32_t part, SearchBudget& budget,
                   DemandExplanation& explanation) {
  DomainJudge(session, part, budget, explanation).judge();
}

}  // namespace trellis
