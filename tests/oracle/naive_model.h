// A scheduler's bookkeeping as one would first write it: maps by name, copies for checkpoints,
// every count made again when it is asked for. Production must agree with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/oracle/rules.h"
#include "tests/support/plan.h"

namespace trellis::oracle {

struct NaiveNode {
  NodeArgs args;
  Amounts now, future;  // free
  std::vector<int64_t> device_now, device_future;
};

struct NaivePod {
  std::string gang;
  PodArgs args;
  PodStatus status = PodStatus::Pending;
  std::string node;
  std::vector<int> devices;
  int64_t portion = 0;  // of each of them
};

struct NaiveGang {
  int placed = 0;
  int waiting = 0;
  bool operator==(const NaiveGang&) const = default;
};

class NaiveModel {
 public:
  std::map<std::string, NaiveNode> nodes;
  std::map<std::string, NaivePod> pods;

  // The books from what the pods say of themselves; decisions of a session are forgotten.
  void refresh();

  // How many pods like this one the node can take together.
  int fit(const PodArgs& pod, const std::string& node, FitMode mode) const;
  NaiveGang count(const std::string& gang) const;

  void place(const std::string& pod, const std::string& node, FitMode mode,
             const std::vector<int>& devices);
  void evict(const std::string& pod);

 private:
  void give_devices(const std::string& node);
  int device_fit(const PodArgs& pod, const NaiveNode& node, FitMode mode) const;
  bool ports_free(const PodArgs& pod, const std::string& node) const;
};

}  // namespace trellis::oracle
