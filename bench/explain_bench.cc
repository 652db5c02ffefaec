// Questions about a gang, and what reasons cost where no question is asked.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "actions/actions.h"
#include "bench/world.h"
#include "session/cycle/recorder.h"
#include "session/explain/remedy.h"
#include "tests/support/hall.h"

namespace trellis::bench::explain {
namespace {

constexpr size_t kRowsShown = 20;  // of the text

// Every rack and node of the hall as a candidate for a gang that no rack can take, with what is
// short in each; and what would help in the nearest ones.
void ExplainGang(benchmark::State& state) {
  World world;
  Hall hall = make_hall(world.cluster(), state.range(0));
  GangId gang = world.add_gang({.count = 20, .gpus = 4, .required = "rack"});
  world.scheduler().run_cycle(0);
  Session* session = nullptr;
  auto ask = [&] {
    session = &world.scheduler().reopen_without(gang);
    return explain_gang(*session, gang);
  };
  DemandExplanation first = ask();
  auto is_rack = [&](const DomainJudgement& domain) {
    std::span<const Shortage> shortages = first.short_of(domain);
    return !is_node(*session, domain.domain) && domain.allocatable_pods == 18 &&
           domain.needed == 20 && !domain.fits && shortages.size() == 1 &&
           shortages.front() == Shortage{kGpu, 8000};
  };
  int64_t racks = std::count_if(first.domains.begin(), first.domains.end(), is_rack);
  Remedy remedy = remedy_for(*session, first, first.domains.back());
  // No rack is large enough, so that nothing would help in one.
  if (racks != hall.racks || first.domains.size() != static_cast<size_t>(hall.racks + hall.nodes) ||
      !remedy.empty()) {
    state.SkipWithError("wrong explanation");
  }
  auto answer = [&] {
    DemandExplanation explanation = ask();
    size_t last = explanation.domains.size();
    for (size_t i = last - std::min(last, kRowsShown); i < last; ++i) {
      benchmark::DoNotOptimize(remedy_for(*session, explanation, explanation.domains[i]));
    }
    benchmark::DoNotOptimize(explanation);
  };
  Latencies().run(state, answer, [&] { session->fits().restart(); });
  report_per_node(state, world.cluster().nodes().size());
}
BENCHMARK(ExplainGang)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

// 500 equal gangs that wait: a cycle with its reasons. The nodes are counted once, not for each.
void Waiting500(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  std::vector<GangId> gangs;
  for (int i = 0; i < 500; ++i) {
    gangs.push_back(world.add_gang(
        {.name = "gang-" + std::to_string(i), .count = 20, .gpus = 4, .required = "rack"}));
  }
  Session& session = world.scheduler().open(0);
  auto actions = make_actions(Config());
  auto cycle = [&] {
    for (const Action& action : actions) action.run(session);
  };
  cycle();
  CycleRecord record = make_record(session);
  for (GangId gang : gangs) {
    const std::vector<Reason>& reasons = record.gangs[gang].reasons;
    bool right = reasons.size() == 1 && reasons.front().code == ReasonCode::TopologyNoFit &&
                 reasons.front().found == 18 && reasons.front().verdicts.size() == 1;
    if (!right) state.SkipWithError("wrong reason");
  }
  if (session.verdict_counts().passes() != 1) state.SkipWithError("counted more than once");
  Latencies().run(state, cycle, [] {});
  report_per_node(state, world.cluster().nodes().size());
}
BENCHMARK(Waiting500)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::explain
