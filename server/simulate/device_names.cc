#include "server/simulate/device_names.h"

namespace trellis {

DeviceNames::DeviceNames(const Cluster& cluster, const CycleRecord& record) {
  for (uint32_t i = 0; i < record.pods.size(); ++i) {
    const PodOutcome& outcome = record.pods[PodId(i)];
    if (outcome.gpus.empty()) continue;
    const std::vector<StrId>& groups = cluster.pods()[PodId(i)].pod.gpu_groups;
    if (groups.size() != outcome.gpus.size()) continue;
    for (size_t k = 0; k < groups.size(); ++k) {
      names_.try_emplace({outcome.node, outcome.gpus[k].device},
                         cluster.vocabulary().strings.view(groups[k]));
    }
  }
}

std::vector<std::string> DeviceNames::of(const PodOutcome& outcome) const {
  std::vector<std::string> names;
  for (const GpuPart& part : outcome.gpus) {
    auto found = names_.find({outcome.node, part.device});
    names.push_back(found != names_.end() ? found->second : std::to_string(part.device));
  }
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
