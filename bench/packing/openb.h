// The nodes with GPUs and the lists of pods of the openb trace, as its published files give them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/node.h"
#include "framework/pod.h"
#include "framework/vocabulary.h"

namespace trellis::bench {

// What a pod requests: a part of one GPU, or whole GPUs, or none.
struct OpenbPod {
  int64_t cpu_milli = 0;
  int64_t memory_mib = 0;
  int64_t gpu_milli = 0;            // of all its GPUs together
  std::vector<std::string> models;  // empty: any
};

struct OpenbNode {
  std::string name;
  int64_t cpu_milli = 0;
  int64_t memory_mib = 0;
  int64_t gpus = 0;
  std::string model;
  std::vector<std::pair<std::string, std::string>> labels;  // more than the model
};

// Lists of pods that the trace consists of.
inline constexpr const char* kOpenbLists[] = {"default", "cpu250", "gpushare100", "gpuspec33",
                                              "multigpu50"};

// Empty where the file cannot be read.
std::vector<OpenbNode> read_openb_nodes(const std::string& folder);
std::vector<OpenbPod> read_openb_pods(const std::string& folder, const std::string& list);

Node node_record(const OpenbNode& node, Vocabulary& vocabulary);
PodSpec pod_spec(const OpenbPod& pod, Vocabulary& vocabulary);

}  // namespace trellis::bench
