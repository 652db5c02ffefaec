// Queues for a world made by hand. Amounts in GPUs, whole CPUs and GiB; -1: no bound.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/world.h"

namespace trellis {

struct QueueArgs {
  std::string parent = {};
  double gpu_quota = -1;
  double gpu_limit = -1;
  double gpu_weight = 1;
  double cpu_quota = -1;
  double cpu_limit = -1;
  int32_t priority = 100;
  TimeUs created = 0;
};

inline QueueId add_queue(Cluster& cluster, const std::string& name, const QueueArgs& args = {}) {
  auto amount = [](double value) {
    return value < 0 ? QueueShare::kUnlimited : static_cast<int64_t>(value * 1000);
  };
  Queue queue;
  queue.name = name;
  if (!args.parent.empty()) queue.parent = cluster.vocabulary().strings.intern(args.parent);
  queue.gpu = {amount(args.gpu_quota), amount(args.gpu_limit), args.gpu_weight};
  queue.cpu = {amount(args.cpu_quota), amount(args.cpu_limit), 1.0};
  queue.memory = {QueueShare::kUnlimited, QueueShare::kUnlimited, 1.0};
  queue.priority = args.priority;
  queue.created = args.created;
  return cluster.upsert(std::move(queue));
}

// Semi-preemptible.
inline void make_keep_minimum(Cluster& cluster, GangId gang) {
  Gang copy = cluster.gangs()[gang];
  copy.keeps_minimum = true;
  cluster.upsert(std::move(copy));
}

inline void put_in_background(Cluster& cluster, GangId gang) {
  Gang copy = cluster.gangs()[gang];
  copy.background = true;
  cluster.upsert(std::move(copy));
}

inline void make_non_preemptible(Cluster& cluster, GangId gang) {
  Gang copy = cluster.gangs()[gang];
  copy.preemptible = false;
  cluster.upsert(std::move(copy));
}

}  // namespace trellis
