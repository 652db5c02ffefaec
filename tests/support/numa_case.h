// A case of tests/conformance/numa: one pod, nodes, and what scheduler-plugins says of each.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/container_demand.h"
#include "framework/numa.h"
#include "framework/resources.h"
#include "plugins/numa/numa_options.h"

namespace trellis {

struct NumaAnswer {
  bool fits = true;
  int64_t score = 0;
};

class NumaCase {
 public:
  using Json = nlohmann::json;

  explicit NumaCase(const Json& input);

  NumaAnswer answer(const std::string& node, NumaRules rules, NumaAlignment alignment) const;

 private:
  void read_pod(const Json& pod);
  std::vector<ResourceAmount> amounts(const Json& quantities);

  ResourceTable resources_;
  PodDemand demand_;
  std::map<std::string, ResourceList> nodes_;
  std::map<std::string, NumaTopology> topologies_;
  NumaOptions options_;
};

}  // namespace trellis
