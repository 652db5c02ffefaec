#include "server/manifest/kueue_gaps.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/grouping/link_workloads.h"
#include "server/grouping/owners.h"
#include "server/objects/workload_keys.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

class KueueGaps {
 public:
  KueueGaps(Records& records, const KueueRecords& kueue, FieldReader& fields)
      : records_(records),
        kueue_(kueue),
        report_(fields.report()),
        strings_(fields.vocabulary().strings),
        owners_(records, fields.vocabulary(), fields.report()) {}

  void warn_of_absent_queues() {
    if (has_queues(kueue_) || kueue_.of_owners.empty()) return;
    ObjectSet with_pods;
    for (const PodRecord& pod : records_.pods) {
      climb(owners_, pod.meta, [&](const ObjectKey& key) {
        with_pods.insert(key);
        return false;
      });
    }
    ObjectSet ended;
    for (const OwnerRecord& owner : records_.owners) {
      if (owner.end != OwnerEnd::None) ended.insert(owner.meta.key);
    }
    std::vector<std::string> names;
    for (const WorkloadRecord& record : kueue_.of_owners) {
      const ObjectKey& key = record.meta.key;
      if (with_pods.contains(key) || ended.contains(key)) continue;
      names.push_back(name_of(key.name_space, strings_.view(key.name)));
    }
    if (names.empty()) return;
    report_.summary(Severity::Warning,
                    some(std::move(names), "object waits", "objects wait") +
                        " for a queue, and no LocalQueue and no ClusterQueue was read: dump "
                        "localqueues, clusterqueues, cohorts, resourceflavors and workloads, too");
  }

  void warn_of_absent_workloads() {
    if (kueue_.cluster_queues.empty()) return;
    ObjectSet running;
    for (const WorkloadRecord& record : kueue_.of_owners) running.insert(record.meta.key);
    std::vector<std::string> names;
    for (const PodRecord& pod : records_.pods) {
      const Pod& of = pod.object.pod;
      if (!is_active(of.status) || of.workload.valid()) continue;
      bool named = pod.workload && (pod.workload->workload.valid() || pod.workload->queue.valid());
      if (!named && !running.empty()) {
        climb(owners_, pod.meta, [&](const ObjectKey& key) {
          named = running.contains(key);
          return named;
        });
      }
      if (named) names.push_back(name_of(of.name_space, of.name));
    }
    if (names.empty()) return;
    report_.summary(Severity::Warning,
                    some(std::move(names), "running pod is", "running pods are") +
                        " of workloads that were not read: what they use is not in the figures of "
                        "their ClusterQueues; dump workloads, too");
  }

 private:
  std::string name_of(StrId name_space, std::string_view name) const {
    return full_key(strings_, name_space, name);
  }

  // `2 pods are (default/a, ...)`.
  static std::string some(std::vector<std::string> names, std::string_view one,
                          std::string_view many) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string text = std::to_string(names.size()) + " ";
    text += names.size() == 1 ? one : many;
    text += " (" + names.front();
    return text + (names.size() == 1 ? ")" : ", ...)");
  }

  Records& records_;
  const KueueRecords& kueue_;
  Report& report_;
  const StringTable& strings_;
  Owners owners_;
};

}  // namespace

void warn_of_kueue_gaps(Records& records, const KueueRecords& kueue, FieldReader& fields) {
  if (kueue.of_owners.empty() && kueue.cluster_queues.empty()) return;
  KueueGaps gaps(records, kueue, fields);
  gaps.warn_of_absent_queues();
  gaps.warn_of_absent_workloads();
}

}  // namespace trellis
