#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

std::string how_many(size_t count, std::string_view word, std::string_view plural) {
  return grouped_text(static_cast<int64_t>(count)) + " " + std::string(count == 1 ? word : plural);
}

std::string found_text(const Objects& objects) {
  std::string text = how_many(objects.nodes.size(), "node", "nodes") + ", " +
                     how_many(objects.pods.size(), "pod", "pods") + ", " +
                     how_many(objects.gangs.size(), "gang", "gangs") + ", " +
                     how_many(objects.queues.size(), "queue", "queues") + ", " +
                     how_many(objects.topologies.size(), "topology", "topologies") + ", " +
                     how_many(objects.budgets.size(), "disruption budget", "disruption budgets");
  // Other kinds are listed only where there are such objects.
  auto add = [&](size_t count, std::string_view word, std::string_view plural) {
    if (count > 0) text += ", " + how_many(count, word, plural);
  };
  add(objects.node_requests.size(), "request for nodes", "requests for nodes");
  add(objects.reservations.size(), "reservation", "reservations");
  add(objects.flavors.size(), "flavor", "flavors");
  add(objects.cluster_queues.size(), "ClusterQueue", "ClusterQueues");
  add(objects.cohorts.size(), "cohort", "cohorts");
  add(objects.local_queues.size(), "LocalQueue", "LocalQueues");
  add(objects.workloads.size(), "workload", "workloads");
  add(objects.daemon_sets.size(), "DaemonSet", "DaemonSets");
  return text;
}

}  // namespace

ExitCode run(const ValidateArguments& arguments, Console& console) {
  std::optional<Config> config = load_config(arguments.input.config_file, console);
  std::optional<InputTexts> texts = list_live(arguments.input, console);
  if (!texts) return kBadInput;
  Vocabulary vocabulary;
  Manifest manifest = read_input(arguments.input, *texts, vocabulary, {}, console);
  print_diagnostics(manifest.diagnostics, Listing::Whole, console);
  auto errors = static_cast<size_t>(
      std::count_if(manifest.diagnostics.begin(), manifest.diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::Error; }));
  console.print(found_text(manifest.objects) + ": " +
                (errors == 0 ? "no errors" : how_many(errors, "error", "errors")) + "\n");
  return errors > 0 || !config ? kBadInput : kDone;
}

}  // namespace trellis
