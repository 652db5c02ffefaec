#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/json_writer.h"
#include "server/manifest/input_files.h"
#include "server/plan/daemon_pods.h"
#include "server/plan/plan.h"
#include "server/plan/plan_output.h"
#include "server/plan/plan_rows.h"
#include "server/plan/trace_plan.h"
#include "server/simulate/simulation.h"
#include "server/simulate/traced_source.h"

namespace trellis {
namespace {

// nullopt: a file is wrong, which has been printed.
std::optional<std::vector<NodeShape>> read_shapes(const PlanArguments& arguments,
                                                  Vocabulary& vocabulary, Console& console) {
  std::vector<NodeShape> shapes;
  for (const std::string& word : arguments.shapes) {
    Result<NodeShape> shape = read_shape(word, vocabulary);
    if (!shape) {
      console.complain(shape.error().message);
      return std::nullopt;
    }
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

void print(const PlanArguments& arguments, const Engine& engine, const NodePlan& plan,
           Console& console) {
  switch (arguments.output) {
    case PlanOutput::Table:
      console.print(plan_table(engine, plan, console.form(arguments.width)));
      return;
    case PlanOutput::JsonText: {
      JsonWriter out(console.out, kRecordDepth);
      write_plan(out, engine, plan);
      return;
    }
    case PlanOutput::Html:
      write_plan_page(console.out, engine, plan);
      return;
  }
}

void print(const PlanArguments& arguments, const std::vector<ShapePlan>& plans, Console& console) {
  switch (arguments.output) {
    case PlanOutput::Table:
      console.print(trace_plan_table(plans, console.form(arguments.width)));
      return;
    case PlanOutput::JsonText: {
      JsonWriter out(console.out, kRecordDepth);
      write_trace_plan(out, plans);
      return;
    }
    case PlanOutput::Html:
      write_trace_plan_page(console.out, plans);
      return;
  }
}

// Runs the trace on the cluster with more nodes, from the beginning each time.
class TraceRuns {
 public:
  TraceRuns(const PlanArguments& arguments, const InputTexts& texts, Console& console)
      : arguments_(arguments), texts_(texts), console_(console) {}

  // False: the trace cannot be read or does not suit the cluster; that has been printed.
  bool read_gangs() {
    Result<std::string> text = read_input_file({arguments_.trace, 0});
    if (!text) return complain(arguments_.trace + ": " + text.error().message);
    Result<std::vector<TracedGang>> gangs = read_trace(arguments_.trace, *text, arguments_.format);
    if (!gangs) return complain(gangs.error().message);
    gangs_ = *std::move(gangs);
    return true;
  }

  const std::vector<TracedGang>& gangs() const { return gangs_; }
  // What DaemonSets take of a new node of the shape, where they take most: quantities by resource.
  std::map<std::string, std::string> daemons(size_t shape_number) { return daemons_[shape_number]; }
  // Of the last run that failed; "": none did.
  const std::string& error() const { return error_; }

  SimulationResult run(size_t shape_number, int64_t nodes) {
    LoadOptions load{.listing = Listing::None, .texts = &texts_};
    std::optional<LoadedCluster> loaded = load_cluster(arguments_.input, {}, load, console_);
    if (!loaded) return {};
    Cluster& cluster = loaded->engine->cluster();
    Result<NodeShape> shape = read_shape(arguments_.shapes[shape_number], cluster.vocabulary());
    if (!shape) return {};
    add_nodes(growth_nodes(*shape, nodes, cluster), shape_number, *loaded);
    Result<TracedSource> source = TracedSource::make(gangs_, loaded->now, cluster);
    if (!source) {
      error_ = source.error().message;
      return {};
    }
    return Simulation(*loaded->engine, *source, loaded->now, {}).run();
  }

 private:
  // The nodes, with room for the pods of DaemonSets.
  void add_nodes(std::vector<Node> nodes, size_t shape_number, LoadedCluster& loaded) {
    Cluster& cluster = loaded.engine->cluster();
    for (const Node& node : nodes) cluster.upsert(Node(node));
    if (nodes.empty() || cluster.workloads().daemon_sets().size() == 0) return;
    Session& session = loaded.engine->scheduler().open(loaded.now);
    ResourceList most;
    for (Node& node : nodes) {
      ResourceList taken = requests_of_daemons(session, cluster.find_node(node.name));
      leave_room_for(taken, node.allocatable);
      most.raise_to(taken);
    }
    for (Node& node : nodes) cluster.upsert(std::move(node));
    daemons_[shape_number] = quantities_of(cluster.vocabulary().resources, most);
  }

  bool complain(const std::string& message) {
    console_.complain(message);
    return false;
  }

  const PlanArguments& arguments_;
  const InputTexts& texts_;
  Console& console_;
  std::vector<TracedGang> gangs_;
  std::map<size_t, std::map<std::string, std::string>> daemons_;  // by number of the shape
  std::string error_;
};

ExitCode plan_trace(const PlanArguments& arguments, const InputTexts& texts,
                    const std::vector<NodeShape>& shapes, Console& console) {
  TraceRuns runs(arguments, texts, console);
  if (!runs.read_gangs()) return kBadInput;
  std::vector<ShapePlan> plans;
  bool enough = false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    TraceQuestion question{.gangs = runs.gangs(), .wait = *arguments.wait};
    question.simulate = [&](const NodeShape& /*shape*/, int64_t nodes) {
      return runs.run(i, nodes);
    };
    plans.push_back(plan_for_trace(shapes[i], question));
    plans.back().daemons = runs.daemons(i);
    if (!runs.error().empty()) {
      console.complain(runs.error());
      return kBadInput;
    }
    enough = enough || plans.back().nodes != ShapePlan::kNone;
  }
  sort_by_price(plans);
  print(arguments, plans, console);
  return enough ? kDone : kNo;
}

}  // namespace

ExitCode run(const PlanArguments& arguments, Console& console) {
  std::optional<InputTexts> texts = read_once(arguments.input, console);
  if (!texts) return kBadInput;
  CycleArguments cycle{.only_allocate = true};
  LoadOptions load{.texts = &*texts};
  std::optional<LoadedCluster> loaded = load_cluster(arguments.input, cycle, load, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  std::optional<std::vector<NodeShape>> shapes =
      read_shapes(arguments, engine.vocabulary(), console);
  if (!shapes) return kBadInput;
  if (!arguments.trace.empty()) return plan_trace(arguments, *texts, *shapes, console);
  PlanQuestion question{.shapes = *std::move(shapes), .gangs = arguments.gangs, .now = loaded->now};
  Result<NodePlan> plan = make_plan(engine, std::move(question));
  if (!plan) {
    console.complain(plan.error().message);
    return kBadInput;
  }
  print(arguments, engine, *plan, console);
  if (loaded->has_errors) return kBadInput;
  return plan->refused.empty() ? kDone : kNo;
}

}  // namespace trellis
