#include "bench/packing/packed_cluster.h"

#include <memory>
#include <utility>

#include "actions/actions.h"
#include "actions/defragmentation/move_plan.h"
#include "plugins/registry.h"
#include "session/cycle/session.h"

namespace trellis::bench {
namespace {

constexpr const char* kNameSpace = "openb";

Config only_placing(Config config) {
  config.actions = {"allocate"};
  return config;
}

}  // namespace

PackedCluster::PackedCluster(const Config& config, std::span<const OpenbNode> nodes)
    : scheduler_(cluster_, only_placing(config), make_plugins(config),
                 make_actions(only_placing(config))) {
  for (const OpenbNode& node : nodes) {
    capacity_milli_ += node.gpus * kMilli;
    cluster_.upsert(node_record(node, cluster_.vocabulary()));
  }
}

void PackedCluster::add_topology(std::string_view name,
                                 const std::vector<std::string_view>& levels) {
  Topology topology;
  topology.name = name;
  for (std::string_view level : levels) {
    topology.levels.push_back({cluster_.vocabulary().strings.intern(level), StrId()});
  }
  cluster_.upsert(std::move(topology));
}

std::optional<std::string> PackedCluster::arrive(const OpenbPod& pod) {
  StringTable& strings = cluster_.vocabulary().strings;
  std::string name = "pod-" + std::to_string(arrived_++);
  Gang gang;
  gang.name_space = strings.intern(kNameSpace);
  gang.name = name;
  gang.created = now_;
  gang.movable = true;
  cluster_.upsert(std::move(gang));
  Pod record;
  record.name_space = strings.intern(kNameSpace);
  record.name = name;
  record.gang = strings.intern(std::string(kNameSpace) + "/" + name);
  record.created = now_;
  PodId id = cluster_.upsert(std::move(record), pod_spec(pod, cluster_.vocabulary()));
  std::shared_ptr<const CycleRecord> cycle = scheduler_.run_cycle(++now_);
  const PodOutcome& outcome = cycle->pods[id];
  if (outcome.status != PodStatus::Bound) {
    remove(name);
    return std::nullopt;
  }
  place(id, outcome);
  used_milli_ += pod.gpu_milli;
  return name;
}

// As a cluster reports a pod that runs: it names the device that it shares.
void PackedCluster::place(PodId pod, const PodOutcome& outcome) {
  const PodSlot& slot = cluster_.pods()[pod];
  if (!outcome.gpus.empty()) {
    Pod record = slot.pod;
    record.gpu_groups.clear();
    for (const GpuPart& part : outcome.gpus) {
      record.gpu_groups.push_back(
          cluster_.vocabulary().strings.intern(std::to_string(part.device)));
    }
    PodSpec spec = cluster_.pod_classes()[slot.pod_class];
    cluster_.upsert(std::move(record), std::move(spec));
  }
  cluster_.set_pod(pod, PodStatus::Running, outcome.node, now_);
}

void PackedCluster::remove(const std::string& name) {
  cluster_.remove_pod(cluster_.vocabulary().strings.intern(kNameSpace), name);
  cluster_.remove_gang(kNameSpace, name);
}

void PackedCluster::leave(const std::string& name, const OpenbPod& pod) {
  remove(name);
  used_milli_ -= pod.gpu_milli;
}

int64_t PackedCluster::defragment(int64_t moved_milli) {
  Session& session = scheduler_.open(++now_);
  const double min_gain = session.config().defragmentation.min_gain;
  MovePlan plan = plan_moves(session, {.moved_milli = moved_milli, .min_gain = min_gain});
  std::vector<std::pair<PodId, PodOutcome>> moves;
  for (const PlacedSet& set : plan.sets) {
    for (const GangMove& move : set.moves) {
      for (const PodMove& pod : move.pods) {
        PodOutcome outcome;
        outcome.node = pod.to;
        outcome.gpus = session.snapshot().grant(pod.pod);
        moves.emplace_back(pod.pod, outcome);
      }
    }
  }
  session.statement().rollback();
  for (const auto& [pod, outcome] : moves) place(pod, outcome);
  return static_cast<int64_t>(moves.size());
}

}  // namespace trellis::bench
