#include "server/plan/plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/plan/daemon_pods.h"
#include "server/plan/plan_bound.h"
#include "server/plan/plan_demand.h"
#include "server/plan/plan_search.h"
#include "server/plan/plan_trial.h"
#include "server/view/name_search.h"
#include "server/view/object_names.h"

namespace trellis {
namespace {

// The gangs that a question is about.
struct AskedGangs {
  std::vector<GangId> wanted;   // that have to run
  std::vector<GangId> waiting;  // of them: wait without more nodes
  std::vector<GangId> held;     // asked for, and none of their pods may be placed
};

bool waits_below_minimum(const Session& session, GangId gang) {
  return !session.has_minimum(gang) && !session.waiting_pods(gang).empty();
}

// Gangs of other schedulers are no concern of a plan.
bool waits_for_other_things(const GangOutcome& outcome) {
  return outcome.status == GangStatus::Pending && !outcome.reasons.empty() &&
         outcome.reasons.front().code != ReasonCode::OtherScheduler;
}

// In `without`, the cycle without new nodes, no gang of `wanted` is left out.
Result<AskedGangs> find_gangs(Session& session, const CycleRecord& without,
                              const std::vector<std::string>& words) {
  const Cluster& cluster = session.cluster();
  std::vector<GangId> named;
  std::vector<std::string> names = gang_names(cluster);
  std::vector<GangId> ids = cluster.gangs_by_name();
  for (const std::string& word : words) {
    FoundName found = find_name("gang", word, names);
    if (!found.error.empty()) return error(found.error);
    named.push_back(ids[static_cast<size_t>(std::ranges::find(names, found.name) - names.begin())]);
  }
  AskedGangs asked;
  for (GangId gang : ids) {
    bool now = runs(without, gang);
    bool is_asked = words.empty() || std::ranges::find(named, gang) != named.end();
    if (!waits_below_minimum(session, gang)) {
      if (is_asked && waits_for_other_things(without.gangs[gang])) asked.held.push_back(gang);
      continue;
    }
    if (!now && !is_asked) continue;
    asked.wanted.push_back(gang);
    if (!now) asked.waiting.push_back(gang);
  }
  return asked;
}

std::vector<NodeId> probes_of(const PlanTrial& trial, const NodeMarket& market) {
  std::vector<NodeId> probes;
  for (size_t i = 0; i < market.offers.size(); ++i) probes.push_back(trial.node(i, 0));
  return probes;
}

// What a node of each offer has, and how many pods of each row it takes.
void measure_offers(Engine& engine, PlanTrial& trial, TimeUs now, NodeMarket& market,
                    DemandRows& rows) {
  NodeCounts one(market.offers.size(), 1);
  trial.set_nodes(one);
  leave_room_for_daemons(engine.scheduler().open(now), probes_of(trial, market), market);
  trial.set_nodes(NodeCounts(one.size()));
  trial.set_nodes(one);
  measure_fits(engine.scheduler().open(now), probes_of(trial, market), rows);
}

std::vector<PlannedNode> nodes_of(const Engine& engine, const PlanTrial& trial,
                                  const CycleRecord& record, const NodeCounts& counts) {
  const Cluster& cluster = engine.cluster();
  std::map<NodeId, size_t> index;
  std::vector<PlannedNode> nodes;
  for (uint32_t offer = 0; offer < counts.size(); ++offer) {
    for (int64_t number = 0; number < counts[offer]; ++number) {
      index.emplace(trial.node(offer, number), nodes.size());
      nodes.push_back({.name = trial.node_name(offer, number), .offer = offer});
    }
  }
  for (GangId gang : cluster.gangs_by_name()) {
    for (PodId pod : cluster.pods_of(gang)) {
      const PodOutcome& outcome = record.pods[pod];
      auto found = index.find(outcome.node);
      if (found == index.end() || has_finished(outcome.status)) continue;
      std::vector<NodeUse>& users = nodes[found->second].users;
      if (users.empty() || users.back().gang != gang) users.push_back({gang, 0});
      ++users.back().pods;
    }
  }
  return nodes;
}

}  // namespace

Result<NodePlan> make_plan(Engine& engine, PlanQuestion question) {
  std::shared_ptr<const CycleRecord> without = engine.run(question.now, 1);
  Result<AskedGangs> asked =
      find_gangs(engine.scheduler().open(question.now), *without, question.gangs);
  if (!asked) return error(asked.error().message);
  std::vector<StrId> labels = asked_labels(engine.scheduler().open(question.now), asked->wanted);
  NodePlan plan;
  plan.market = make_market(std::move(question.shapes), labels, engine.cluster());
  PlanTrial trial(engine, plan.market, question.now);
  DemandRows rows = collect_rows(engine.scheduler().open(question.now), asked->wanted);
  measure_offers(engine, trial, question.now, plan.market, rows);
  PlanSearch search(engine, trial, plan.market, rows);
  plan.refused = asked->held;
  NodeCounts counts = search.first(asked->wanted, plan.refused);
  trial.set_nodes(NodeCounts(counts.size()));
  PlanBound bound(engine.scheduler().open(question.now), plan.market, rows, asked->wanted);
  PlanSearch::Result found = search.improve(std::move(counts), bound, asked->wanted);
  plan.record = trial.run(found.counts);
  plan.nodes = nodes_of(engine, trial, *plan.record, found.counts);
  plan.price_micro = price_of(plan.market, found.counts);
  plan.proved = found.proved;
  plan.bound_micro = found.proved ? plan.price_micro : bound.price_micro();
  plan.cycles = trial.cycles() + 1;
  for (GangId gang : asked->waiting) {
    if (runs(*plan.record, gang)) plan.served.push_back(gang);
  }
  return plan;
}

}  // namespace trellis
