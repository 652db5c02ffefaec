#include "session/explain/domain_judge.h"

#include <algorithm>
#include <optional>
#include <span>

#include "framework/topology.h"
#include "session/explain/segment_room.h"
#include "session/explain/shortage_columns.h"
#include "topology/tree.h"

namespace trellis {
namespace {

// Judges the candidate domains of one part.
class DomainJudge {
 public:
  DomainJudge(Session& session, uint32_t part, const JudgeRules& rules,
              DemandExplanation& explanation)
      : session_(session),
        cluster_(session.cluster()),
        explanation_(explanation),
        part_(explanation.parts[part]),
        index_(part),
        rules_(rules),
        levels_(levels_of(cluster_, part_.topology)),
        topology_(levels_.topology) {}

  // Appends its judgements to the explanation.
  void judge() {
    if (!part_.topology.empty() && !levels_.topology.valid()) return;
    first_ = explanation_.domains.size();
    list_candidates();
    for (size_t row = 0; row < part_.rows.size(); ++row) count(row);
    bool equal = part_.rows.size() == 1;
    if ((equal || part_.led) && !part_.segments.empty()) judge_segments();
    if (!equal) sum_up_demand();
    for (size_t row = 0; row < part_.rows.size(); ++row) find_shortages(row);
    for (DomainJudgement& judgement : judgements()) {
      if (!judgement.fits) continue;
      Proof proof = rules_.prove(judgement);
      judgement.fits = proof != Proof::FitsNot;
      judgement.proved = proof != Proof::Unknown;
    }
  }

 private:
  const TopologyTree& tree() const { return session_.snapshot().tree(topology_); }
  std::span<DomainJudgement> judgements() {
    return std::span(explanation_.domains).subspan(first_);
  }

  int finest() const {
    if (!part_.finest.valid()) {
      return levels_.preferred >= 0 ? levels_.preferred : tree().level_count() - 1;
    }
    const Topology& topology = cluster_.topologies()[topology_];
    const StringTable& strings = cluster_.vocabulary().strings;
    return find_level(topology, strings.view(part_.finest), strings).value_or(-1);
  }

  void list_candidates() {
    int deepest = finest();
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

  // Pods that differ are judged by those that fit least often, or by those that are led.
  void count(size_t row) {
    const AskedRow& asked = part_.rows[row];
    RowCount now = counts_of(asked, part_.mode);
    for (DomainJudgement& judgement : judgements()) {
      int64_t pods = now[judgement.domain.domain];
      judgement.fits = judgement.fits && pods >= asked.pods;
      if (part_.led && row > 0) judgement.leaders = pods;
      bool harder = row == 0 || (!part_.led &&
                                 pods * judgement.needed < judgement.allocatable_pods * asked.pods);
      if (!harder) continue;
      judgement.allocatable_pods = pods;
      judgement.later_pods = pods;
      judgement.needed = asked.pods;
      judgement.row = static_cast<uint32_t>(row);
    }
    if (part_.mode == FitMode::Future || !session_.fits().anything_leaving()) return;
    RowCount later = counts_of(asked, FitMode::Future);
    for (DomainJudgement& judgement : judgements()) {
      if (judgement.row == row) judgement.later_pods = later[judgement.domain.domain];
    }
  }

  // The number of pods that fit in each domain, or in the whole cluster.
  struct RowCount {
    const DomainCounts* counts = nullptr;
    std::optional<DomainCounts> own;
    int64_t total = 0;
    int64_t operator[](DomainId domain) const {
      if (own) return (*own)[domain];
      return counts != nullptr ? (*counts)[domain] : total;
    }
  };

  RowCount counts_of(const AskedRow& row, FitMode mode) {
    RowCount count;
    if (!topology_.valid()) {
      count.total = session_.fits().total(row.pod_class, mode);
    } else if (rules_.counts) {
      count.own = rules_.counts(row, mode);
    } else {
      count.counts = &session_.fits().domain_counts(topology_, row.pod_class, mode);
    }
    return count;
  }

  void judge_segments() {
    if (!topology_.valid()) return;
    RowCount pods = counts_of(part_.rows.front(), part_.mode);
    SegmentRoom room(session_, topology_, part_, pods.own ? *pods.own : *pods.counts);
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
      free_.emplace_back(session_, tree()).sum_up(item.resource, part_.mode);
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
      columns.emplace_back(session_, tree()).count(item, part_.mode, rules_.left_out);
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
    std::vector<NodeId> usable;
    for (NodeId node : nodes_of(session_, judgement.domain)) {
      if (rules_.left_out == nullptr || rules_.left_out->is_usable(node)) usable.push_back(node);
    }
    NodesAsked asked{pod_class, part_.mode, usable, judgement.needed};
    auto shortage = shared_gpu_shortage(session_, asked);
    if (!shortage) shortage = narrowest_resource(session_, asked);
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

  Session& session_;
  const Cluster& cluster_;
  DemandExplanation& explanation_;
  const DemandPart& part_;
  uint32_t index_;
  const JudgeRules& rules_;
  PartLevels levels_;
  TopologyId topology_;             // kNone: the cluster
  size_t first_ = 0;                // of the part's judgements
  ResourceList demand_;             // of pods that differ, together
  std::vector<AmountColumn> free_;  // as demand_
};

}  // namespace

void judge_domains(Session& session, uint32_t part, const JudgeRules& rules,
                   DemandExplanation& explanation) {
  DomainJudge(session, part, rules, explanation).judge();
}

}  // namespace trellis
