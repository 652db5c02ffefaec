#include "server/writeback/device_names.h"

#include <algorithm>

#include "session/record/touched.h"

namespace trellis {

DeviceNames::DeviceNames(const Cluster& cluster, const CycleRecord& record) {
  for (PodId pod : touched_pods(record)) read(cluster, record, pod);
}

void DeviceNames::read(const Cluster& cluster, const CycleRecord& record, PodId pod) {
  const PodOutcome& outcome = record.pods[pod];
  // A pod that moves names the devices that it leaves.
  bool stays = outcome.node == cluster.pods()[pod].node && outcome.status != PodStatus::Pipelined;
  const std::vector<StrId>& groups = cluster.pods()[pod].pod.gpu_groups.all();
  if (!stays || outcome.gpus.empty() || groups.size() != outcome.gpus.size()) return;
  for (size_t k = 0; k < groups.size(); ++k) {
    names_.try_emplace({outcome.node, outcome.gpus[k].device},
                       cluster.vocabulary().strings.view(groups[k]));
  }
}

std::vector<std::string> DeviceNames::of(const PodOutcome& outcome) const {
  std::vector<std::string> names;
  for (const GpuPart& part : outcome.gpus) {
    auto found = names_.find({outcome.node, part.device});
    names.push_back(found != names_.end() ? found->second : std::to_string(part.device));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::pair<std::string, std::string>> group_labels(
    const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& name : names) {
    std::string key(kGpuGroupLabel);
    if (names.size() > 1) key += "/" + name;
    labels.emplace_back(std::move(key), name);
  }
  return labels;
}

}  // namespace trellis
