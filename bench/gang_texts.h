// Nodes in racks and gangs of small pods, as JSON lines: what `-f` reads.
//
// The nodes and pods are those of kube-scheduler's own benchmarks of gangs: nodes of 4 CPUs and
// 32 GiB, of which a pod requests a tenth of a CPU and 500 MiB.
#pragma once

#include <string>
#include <vector>

namespace trellis::bench {

struct RackShape {
  int nodes = 5'000;
  int nodes_per_rack = 100;
  int racks_per_block = 10;
  static constexpr int kPodsPerNode = 40;  // by CPU
};

constexpr const char* kBlockLabel = "example.com/block";
constexpr const char* kRackLabel = "example.com/rack";

// The nodes and their topology.
std::string rack_texts(const RackShape& shape);

enum class GangApi {
  Kai,         // PodGroup of scheduling.run.ai
  Kubernetes,  // PodGroup of scheduling.k8s.io: one required level and no others
};

struct GangTexts {
  GangApi api = GangApi::Kai;
  int gangs = 1;
  // Pods of a gang, by subgroup; one number: without subgroups.
  std::vector<int> pods = {1};
  std::string required;   // level of the whole gang
  std::string preferred;  // the same
  std::string subgroup_required;

  int pods_per_gang() const;
};

// The gangs' PodGroups and pods.
std::string gang_texts(const GangTexts& shape);

}  // namespace trellis::bench
