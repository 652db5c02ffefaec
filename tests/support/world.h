// A cluster made by hand, and its scheduler with every plugin and action.
//
//   World world;
//   world.topology("t", {"block", "rack"});
//   world.node("n1", {.gpu = 8, .labels = {{"block", "b1"}, {"rack", "r1"}}});
//   world.gang("train", {.count = 4, .pod = {.gpu = 2}, .topology = "t", .required = "rack"});
//   world.cycle();
//   EXPECT_EQ(world.node_of("train-0"), "n1");
//
// Everything is in namespace "default"; names of gangs and pods go without it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "framework/reason.h"
#include "session/cluster/cluster.h"
#include "session/cycle/scheduler.h"
#include "session/record/record.h"
#include "tests/support/plan.h"

namespace trellis {

class World {
 public:
  World() = default;
  explicit World(const Plan& plan) { add(plan); }

  Cluster cluster;
  Config config;  // read when scheduler() is first asked for

  NodeId node(const std::string& name, const NodeArgs& args = {});
  TopologyId topology(const std::string& name, const std::vector<std::string>& labels);
  GangId gang(const std::string& name, const GangArgs& args = {});
  PodId pod(const std::string& name, const std::string& gang, const PodArgs& args = {});
  void add(const Plan& plan);
  void remove_pod(std::string_view name) { cluster.remove_pod(str("default"), name); }

  NodeId node_id(std::string_view name) const { return cluster.find_node(name); }
  GangId gang_id(std::string_view name) const { return cluster.find_gang("default", name); }
  PodId pod_id(std::string_view name) const { return cluster.find_pod("default", name); }
  PodClassId class_of(std::string_view pod) const { return cluster.pods()[pod_id(pod)].pod_class; }
  StrId str(std::string_view text) { return cluster.vocabulary().strings.intern(text); }

  Scheduler& scheduler();
  // Runs a cycle and keeps its record for the questions below.
  const CycleRecord& cycle(TimeUs now = 0);
  const CycleRecord& record() const { return *record_; }
  // What the last cycle decided comes true: bound pods run on their devices, promised and leaving
  // ones are pending again, leaving ones without a controller go away.
  void pass_time();

  // Of the last cycle.
  std::string node_of(std::string_view pod) const;  // "" when it has none
  PodStatus status_of(std::string_view pod) const;
  const GangOutcome& gang_outcome(std::string_view gang) const;
  std::vector<Decision> evictions() const;
  ReasonCode code_of(std::string_view gang) const;  // of its first reason; None without
  // "pod status node devices" of every pod, by name: what a cycle decided, comparable.
  std::string decisions() const;

 private:
  void check_whole(const CycleRecord& record);

  std::unique_ptr<Scheduler> scheduler_;
  std::shared_ptr<const CycleRecord> record_;
};

// Records from arguments, names interned in the vocabulary.
Node make_node(Vocabulary& vocabulary, const std::string& name, const NodeArgs& args);
PodSpec make_pod_spec(Vocabulary& vocabulary, const PodArgs& args);
Pod make_pod(Vocabulary& vocabulary, const std::string& name, const std::string& gang,
             const PodArgs& args);
Topology make_topology(Vocabulary& vocabulary, const std::string& name,
                       const std::vector<std::string>& labels);

}  // namespace trellis
