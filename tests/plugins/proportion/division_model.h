// The division of a cluster among queues as one would first write it: names, maps, recursion and
// exact fractions. Production must agree with it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trellis::oracle {

struct ModelShare {
  int64_t quota = 0;  // -1: no bound
  int64_t limit = -1;
  int64_t weight = 1;
  int64_t request = 0;  // of a leaf
};

struct ModelQueue {
  std::string parent;
  int priority = 100;
  int64_t created = 0;
  int64_t usage = 0;  // of a leaf
  std::map<std::string, ModelShare> resources;
};

struct ModelTree {
  std::map<std::string, ModelQueue> queues;
  std::map<std::string, int64_t> capacity;
  int64_t pull_percent = 100;  // of past usage of GPUs

  // The fair share of every queue, by resource.
  std::map<std::string, std::map<std::string, int64_t>> divide() const;
  std::string text() const;
};

}  // namespace trellis::oracle
