// The smallest cluster for a trace: as few nodes of a shape as keep the wait of 95 of 100 gangs
// within a limit, by simulation.
//
// The new nodes fill new domains, each as large as the largest that is there; a cluster without
// domains has one. The search doubles or halves a first guess until the limit lies between two
// numbers, and then bisects: the number found keeps the limit, and one node less does not. Where
// waits do not fall with every node, other numbers below may keep it, too.
// Cost: about 2 x log2(nodes) simulations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/time.h"
#include "server/document/document_writer.h"
#include "server/plan/node_shape.h"
#include "server/simulate/simulation_result.h"
#include "server/simulate/traced_gang.h"
#include "server/text/byte_sink.h"
#include "server/view/text_table.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Nodes of the shape, with names and labels of their own.
std::vector<Node> growth_nodes(const NodeShape& shape, int64_t count, Cluster& cluster);

struct TriedNumber {
  int64_t nodes = 0;
  TimeUs wait = kNoTime;  // of 95 of 100 gangs; kNoTime: more never start
};

struct ShapePlan {
  std::string shape;
  int64_t price_micro = 0;         // of one node
  int64_t nodes = 0;               // kNone: no number that may be bought is enough
  std::vector<TriedNumber> tried;  // by number
  // What DaemonSets take of a new node, where they take most: quantities by resource.
  std::map<std::string, std::string> daemons;
  static constexpr int64_t kNone = -1;
};

struct TraceQuestion {
  std::span<const TracedGang> gangs;
  TimeUs wait = 0;
  std::function<SimulationResult(const NodeShape& shape, int64_t nodes)> simulate;
};

ShapePlan plan_for_trace(const NodeShape& shape, const TraceQuestion& question);

// The wait that 95 of 100 gangs do not exceed; kNoTime: more than 5 of 100 never start.
TimeUs wait_of_most(const SimulationResult& result);

// Of several shapes, the cheapest first.
void sort_by_price(std::vector<ShapePlan>& plans);

std::string trace_plan_table(std::span<const ShapePlan> plans, TableForm form);
// {"kind":"Plan","shapes":[{"name","nodes","price","p95WaitSeconds","daemonSets":{},"tried":[
// {"nodes","p95WaitSeconds"}]}]}; without "nodes" where no number is enough, and without
// "daemonSets" where they take nothing.
void write_trace_plan(DocumentWriter& out, std::span<const ShapePlan> plans);
void write_trace_plan_page(ByteSink& sink, std::span<const ShapePlan> plans);

}  // namespace trellis
