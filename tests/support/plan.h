// A small world as it is written down: by hand in tests, by a generator in oracles. A plan can be
// shuffled, renamed and printed before a cluster is made of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/node_state.h"
#include "framework/pod.h"
#include "framework/time.h"

namespace trellis {

using LabelMap = std::map<std::string, std::string>;

struct TaintArgs {
  std::string key;
  std::string value = {};
  TaintEffect effect = TaintEffect::NoSchedule;
};

struct NodeArgs {
  double cpu = 64;
  double memory_gib = 256;
  int64_t pods = 110;
  int64_t gpu = 0;
  int64_t amd_gpu = 0;
  std::map<std::string, int64_t> extended = {};
  LabelMap labels = {};
  std::vector<TaintArgs> taints = {};
  bool ready = true;
  bool unschedulable = false;
  int64_t gpu_memory_mib = 0;
  NodeFeatures features = {};
};

struct RequirementArgs {
  std::string key;
  SelectorOp op = SelectorOp::In;
  std::vector<std::string> values = {};
};

struct TermArgs {
  std::vector<RequirementArgs> labels = {};
  std::vector<RequirementArgs> fields = {};
};

struct PreferredArgs {
  int32_t weight = 1;
  TermArgs term = {};
};

struct TolerationArgs {
  std::string key = {};  // "": every key
  Toleration::Op op = Toleration::Op::Exists;
  std::string value = {};
  bool any_effect = true;
  TaintEffect effect = TaintEffect::NoSchedule;
};

struct PortArgs {
  int32_t port = 0;
  std::string protocol = "TCP";
  std::string address = "0.0.0.0";
};

// A share of GPUs: a portion in thousandths or a memory size, of each of some devices.
struct ShareArgs {
  int32_t milli = 0;
  int64_t mib = 0;
  int32_t devices = 1;
};

struct PodArgs {
  // What it asks for.
  double cpu = 1;
  double memory_gib = 1;
  int64_t gpu = 0;
  int64_t amd_gpu = 0;
  std::map<std::string, int64_t> extended = {};
  ShareArgs share = {};
  LabelMap selector = {};
  bool has_affinity = false;  // set when there are terms
  std::vector<TermArgs> affinity = {};
  std::vector<PreferredArgs> preferred = {};
  std::vector<TolerationArgs> tolerations = {};
  std::vector<PortArgs> ports = {};
  NodeFeatures features = {};
  // What it is. A node and no other word: it runs there.
  std::string node = {};
  PodStatus status = PodStatus::Pending;
  PodHold hold = PodHold::None;
  bool leader = false;
  int32_t order_priority = 0;
  int32_t completion_index = -1;
  std::string subgroup = {};
  std::vector<std::string> gpu_groups = {};
  TimeUs created = 0;
};

struct SegmentArgs {
  int32_t size = 1;
  std::string required = {};
  std::string preferred = {};
};

struct SubgroupArgs {
  std::string name;
  std::string parent = {};
  int32_t min_member = 1;
  int32_t min_subgroup = -1;  // -1: all
  std::string topology = {};
  std::string required = {};
  std::string preferred = {};
  std::vector<SegmentArgs> segments = {};
};

struct GangArgs {
  int32_t min_member = -1;  // -1: `count`
  int32_t count = 0;        // pods NAME-0, NAME-1, ... like `pod`
  PodArgs pod = {};
  std::string topology = {};
  std::string required = {};
  std::string preferred = {};
  int32_t priority = 50;
  TimeUs created = 0;
  std::string queue = {};
  std::vector<SubgroupArgs> subgroups = {};  // parents first
  int32_t min_subgroup = -1;
  std::vector<SegmentArgs> segments = {};
  bool balanced = false;
  bool preemptible = true;
  TimeUs run_time = kNoTime;
};

struct Plan {
  struct NodePlan {
    std::string name;
    NodeArgs args;
  };
  struct TopologyPlan {
    std::string name;
    std::vector<std::string> labels;  // coarsest first
  };
  struct GangPlan {
    std::string name;
    GangArgs args;  // count is 0: its pods are listed
  };
  struct PodPlan {
    std::string name;
    std::string gang;
    PodArgs args;
  };

  std::vector<NodePlan> nodes;
  std::vector<TopologyPlan> topologies;
  std::vector<GangPlan> gangs;
  std::vector<PodPlan> pods;

  // For a reader of a failure: a line an object.
  std::string text() const;
};

}  // namespace trellis
