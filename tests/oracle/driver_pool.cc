#include "tests/oracle/driver_pool.h"

namespace trellis::oracle {

std::string node_name(uint32_t index) { return "n" + std::to_string(index); }
std::string pod_name(uint32_t index) { return "p" + std::to_string(index); }
std::string gang_name(uint32_t index) { return "g" + std::to_string(index); }
std::string topology_name(uint32_t index) { return "t" + std::to_string(index); }

const std::vector<PodArgs>& pod_kinds() {
  static const std::vector<PodArgs> kKinds = {
      {.cpu = 1, .memory_gib = 0},
      {.cpu = 2, .memory_gib = 1},
      {.cpu = 0, .memory_gib = 0},
      {.cpu = 0.5, .memory_gib = 2, .tolerations = {{.key = "team"}}},
      {.cpu = 1, .memory_gib = 0, .gpu = 1},
      {.cpu = 0, .memory_gib = 0, .gpu = 2},
      {.cpu = 0, .memory_gib = 0, .amd_gpu = 1, .extended = {{"example.com/nic", 1}}},
      {.cpu = 0, .memory_gib = 0, .share = {.milli = 500}},
      {.cpu = 0, .memory_gib = 0, .share = {.milli = 300, .devices = 2}},
      {.cpu = 0, .memory_gib = 0, .share = {.milli = 1000}},
      {.cpu = 0, .memory_gib = 0, .share = {.mib = 4000}},
      {.cpu = 0, .memory_gib = 0, .ports = {{.port = 80}}},
      {.cpu = 0, .memory_gib = 0, .ports = {{.port = 80, .address = "10.0.0.1"}, {.port = 81}}},
      {.cpu = 1, .memory_gib = 0, .selector = {{"size", "big"}}},
      {.cpu = 1,
       .memory_gib = 0,
       .affinity = {{.labels = {{"weight", SelectorOp::Gt, {"4"}}}},
                    {.fields = {{"metadata.name", SelectorOp::In, {"n1"}}}}}},
      {.cpu = 1,
       .memory_gib = 0,
       .affinity = {{.labels = {{"size", SelectorOp::NotIn, {"big"}},
                                {"rack", SelectorOp::Exists, {}}}}},
       .tolerations = {{.key = "node.kubernetes.io/unschedulable"}}},
  };
  return kKinds;
}

NodeArgs draw_node(ByteStream& bytes) {
  static const std::vector<double> kCpus = {1, 2, 4, 8};
  static const std::vector<int64_t> kPodLimits = {2, 3, 110, 110};
  static const std::vector<int64_t> kGpuMemories = {0, 8000, 16'000};
  NodeArgs node;
  uint8_t shape = bytes.byte();
  node.cpu = kCpus[shape % 4];
  node.memory_gib = static_cast<double>(1 + shape / 4 % 4);
  node.pods = kPodLimits[shape / 16 % 4];
  node.gpu = shape / 64;
  uint8_t more = bytes.byte();
  node.gpu_memory_mib = kGpuMemories[more % 3];
  node.amd_gpu = more % 5 == 0 ? 2 : 0;
  if (more % 4 == 0) node.extended["example.com/nic"] = 1;
  node.ready = more % 16 != 1;
  node.unschedulable = more % 16 == 2;
  if (more % 8 == 3) {
    TaintEffect effect = more % 16 == 3 ? TaintEffect::NoSchedule : TaintEffect::PreferNoSchedule;
    node.taints.push_back({"team", "red", effect});
  }
  uint8_t labels = bytes.byte();
  if (labels % 4 > 0) node.labels["zone"] = labels % 2 == 0 ? "a" : "b";
  if (labels / 4 % 4 > 0) node.labels["rack"] = labels / 4 % 2 == 0 ? "r1" : "r2";
  if (labels / 16 % 2 > 0) node.labels["size"] = labels / 32 % 2 == 0 ? "big" : "small";
  if (labels / 64 > 0) node.labels["weight"] = std::to_string(labels / 64 * 3);
  return node;
}

std::vector<std::string> draw_levels(ByteStream& bytes) {
  static const std::vector<std::vector<std::string>> kLevels = {
      {"zone", "rack"}, {"rack"}, {"zone"}, {"rack", "zone"}, {"zone", "rack", "size"}};
  return kLevels[bytes.below(static_cast<uint32_t>(kLevels.size()))];
}

}  // namespace trellis::oracle
