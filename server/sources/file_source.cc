#include "server/sources/file_source.h"

#include <memory>
#include <utility>

namespace trellis {
namespace {

std::vector<std::pair<std::string_view, size_t>> count_removed(const RemovedObjects& removed) {
  std::vector<std::pair<std::string_view, size_t>> counts = {
      {"nodes", removed.nodes.size()},
      {"pods", removed.pods.size()},
      {"gangs", removed.gangs.size()},
      {"workloads", removed.workloads.size()},
      {"queues", removed.queues.size()},
      {"topologies", removed.topologies.size()},
      {"flavors", removed.flavors.size()},
      {"ClusterQueues", removed.cluster_queues.size()},
      {"Cohorts", removed.cohorts.size()},
      {"LocalQueues", removed.local_queues.size()},
      {"PodDisruptionBudgets", removed.budgets.size()},
      {"ProvisioningRequests", removed.node_requests.size()},
      {"Reservations", removed.reservations.size()},
      {"DaemonSets", removed.daemon_sets.size()}};
  std::erase_if(counts, [](const auto& count) { return count.second == 0; });
  return counts;
}

}  // namespace

std::optional<SourceUpdate> FileSource::poll(Vocabulary& vocabulary) {
  WatchedFiles::Change change = files_.poll();
  if (change == WatchedFiles::Change::None && !reading_.stale()) return std::nullopt;
  SourceUpdate update;
  if (change == WatchedFiles::Change::Content || reading_.stale()) {
    update = reading_.read(files_.texts(), vocabulary);
  }
  std::vector<std::string> gone = files_.take_gone();
  if (!gone.empty() && on_gone_) {
    on_gone_({.files = std::move(gone), .objects = count_removed(update.diff.changes.removed)});
  }
  auto diagnostics = std::make_shared<std::vector<Diagnostic>>(files_.faults());
  diagnostics->insert(diagnostics->end(), reading_.diagnostics().begin(),
                      reading_.diagnostics().end());
  update.diagnostics = std::move(diagnostics);
  return update;
}

std::optional<ObjectDiff> FileSource::read_all(Vocabulary& vocabulary) {
  return all_staying(reading_.read_again(files_.texts(), vocabulary));
}

}  // namespace trellis
