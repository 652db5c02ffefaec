// The physical truth of a tiny world: who holds what, and, found by trying everything, whether some
// pods can be placed together, and where.
//
// A pod that is leaving holds its place now but not in future; a promised one in future but not
// now. Something placed now must be possible now and in future. Whole GPUs have no number: they
// need as many devices that no pod shares. A host port of a leaving pod is in use either way.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/oracle/rules.h"
#include "tests/support/plan.h"

namespace trellis::oracle {

class Truth {
 public:
  explicit Truth(const Plan& plan);

  // Records a decision. False: the node cannot take the pod so.
  bool put(const std::string& pod, const std::string& node, FitMode mode,
           const std::vector<int>& devices);

  struct Answer {
    std::vector<std::vector<std::string>> choice;  // pods by row, those that are placed
    FitMode mode = FitMode::Now;
    int level = -1;             // of the topology; -1: the whole cluster
    std::vector<Path> domains;  // of that level, which can hold the choice in that mode
  };
  // Whether `need` of the gang's waiting pods can be placed together: the first choice of pods that
  // can, in the lowest domains that hold it. Of a minimum: inside a lowest domain that holds all
  // waiting pods now, if there are such domains; an answer for each of them. Empty: none can.
  std::vector<Answer> places(const std::string& gang, int need) const;

  // Fewest parts at the level (domains, and nodes that hang on a domain above it) inside `domain`
  // that hold the pods.
  int fewest_parts(const std::string& gang, const std::vector<std::string>& pods, FitMode mode,
                   const Path& domain, int level) const;
  int parts_used(const std::string& gang, const std::vector<std::string>& nodes, int level) const;

  int placed(const std::string& gang) const;
  std::vector<std::string> waiting(const std::string& gang) const;
  bool inside(const std::string& node, const std::string& gang, const Path& domain) const;
  // The node's domain at that level; a shorter path when it lacks a label.
  Path domain_of(const std::string& node, const std::string& gang, int level) const;

  // First level to look at, and the level above which nothing may go; -1: the whole cluster.
  int preferred_or_deepest(const std::string& gang) const;
  int required(const std::string& gang) const;

 private:
  struct NodeUse {
    std::vector<int64_t> now, future;  // free, by resource
    std::vector<int64_t> device_now, device_future;
    int64_t whole_now = 0, whole_future = 0;  // GPUs held whole
    std::vector<PortArgs> ports;
  };
  // What pods of one kind ask for, worked out once.
  struct Kind {
    PodArgs args;
    std::vector<int64_t> requests;  // by resource
    std::vector<bool> admitted;     // by node
    std::vector<int64_t> portion;   // by node
  };
  struct PodState {
    std::string gang;
    size_t kind = 0;
    std::string node;
    PodStatus status = PodStatus::Pending;
    PodHold hold = PodHold::None;
    bool placed() const { return !node.empty() && status != PodStatus::Releasing; }
  };

  size_t kind_of(const PodArgs& args);
  size_t index_of(const std::string& node) const;
  std::vector<std::string> levels(const std::string& gang) const;
  Path path(const std::string& node, const std::string& gang) const;
  bool fits(size_t node, const Kind& kind, FitMode mode, const std::vector<int>& devices) const;
  void take(size_t node, const Kind& kind, bool now, bool future,
            const std::vector<int>& devices) const;
  bool possible(const std::vector<size_t>& nodes, const std::vector<size_t>& kinds, size_t next,
                size_t first_node, FitMode mode) const;
  bool holds(const std::vector<std::string>& nodes, const std::vector<std::string>& pods,
             FitMode mode) const;
  std::vector<Path> domains_of(const std::string& gang, int level) const;
  std::vector<std::string> members(const std::string& gang, const Path& domain) const;
  bool grows_later(const std::string& gang) const;
  // `within`: domains inside this one alone.
  std::optional<Answer> place_choice(const std::string& gang, const std::vector<std::string>& pods,
                                     const Path& within, std::span<const FitMode> modes) const;
  std::vector<Path> homes(const std::string& gang, int need) const;
  std::vector<std::vector<std::string>> rows_of(const std::string& gang) const;

  std::vector<Plan::NodePlan> node_plans_;
  std::vector<Plan::TopologyPlan> topologies_;
  std::map<std::string, GangArgs> gangs_;
  std::vector<std::string> resources_;
  std::map<std::string, size_t> kind_ids_;
  std::vector<Kind> kinds_;
  std::map<std::string, PodState> pods_;
  mutable std::vector<NodeUse> uses_;  // by node; trials are taken back
};

}  // namespace trellis::oracle
