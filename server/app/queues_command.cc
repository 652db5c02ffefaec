#include <optional>
#include <string>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/view/cluster_queue_output.h"
#include "server/view/queue_output.h"
#include "session/explain/queue_report.h"

namespace trellis {
namespace {

std::string tables(const Cluster& cluster, const std::vector<QueueReport>& queues,
                   const std::vector<ClusterQueueReport>& cluster_queues, TableForm form) {
  std::string text = queues.empty() ? "" : queues_table(cluster, queues, form);
  std::string others = cluster_queues_table(cluster, cluster_queues, form);
  if (!text.empty() && !others.empty()) text += "\n";
  text += others;
  return text.empty() ? "no queues: every gang may take what it needs\n" : text;
}

}  // namespace

ExitCode run(const QueuesArguments& arguments, Console& console) {
  // No actions, so that the queues are shown as the cluster was read.
  CycleArguments idle{.actions = std::vector<std::string>()};
  std::optional<LoadedCluster> loaded = load_cluster(arguments.input, idle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  engine.run(loaded->now, 1);
  Session& session = engine.scheduler().session();
  std::vector<QueueReport> queues = report_queues(session);
  std::vector<ClusterQueueReport> cluster_queues = report_cluster_queues(session);
  if (arguments.output == OutputFormat::Table) {
    console.print(tables(engine.cluster(), queues, cluster_queues, console.form(arguments.width)));
  } else {
    write_document(console.out, arguments.output, kRecordDepth, [&](DocumentWriter& out) {
      out.begin_object();
      write_queues(out, engine.cluster(), queues, QueueDetail::Shares);
      write_cluster_queues(out, engine.cluster(), cluster_queues);
      out.end_object();
      out.finish();
    });
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
