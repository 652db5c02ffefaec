// Random worlds of pods with terms between them, as the naive model has them and as records.
#pragma once

#include <cstdint>
#include <string>

#include "session/cluster/cluster.h"
#include "tests/oracle/pod_terms_model.h"
#include "tests/support/random.h"

namespace trellis::oracle {

struct TermLimits {
  uint32_t nodes = 8;
  uint32_t placed = 8;
  uint32_t pending = 5;
  uint32_t classes = 5;    // kinds of pending pods
  int cpu = 100;           // the most of a node
  uint32_t per_cent = 35;  // that a pod has a kind of term
};

ModelWorld random_terms_world(Random& random, const TermLimits& limits);
// A pod that nothing like it need exist for.
ModelPod random_pod(Random& random, const std::string& name, const TermLimits& limits);
ModelNode random_node(Random& random, const std::string& name, const TermLimits& limits);

// Adds or replaces.
void put_node(Cluster& cluster, const ModelNode& node);
void put_name_space(Cluster& cluster, const std::string& name, const Words& labels);
PodId put_pod(Cluster& cluster, const ModelPod& pod, const std::string& gang);
void put_world(Cluster& cluster, const ModelWorld& world);

std::string text_of(const ModelWorld& world);

}  // namespace trellis::oracle
