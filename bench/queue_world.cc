#include "bench/queue_world.h"

#include <utility>

#include "actions/actions.h"
#include "framework/resources.h"
#include "plugins/registry.h"

namespace trellis::bench {
namespace {

constexpr int64_t kGigabyte = 1'000'000'000;
constexpr int64_t kGpusPerNode = 8;
constexpr TimeUs kMinuteUs = 60 * kSecondUs;

Config config_of(std::vector<std::string> actions) {
  Config config;
  config.actions = std::move(actions);
  config.limits.consolidation_victims = -1;
  return config;
}

}  // namespace

QueueWorld::QueueWorld(std::vector<std::string> actions)
    : QueueWorld(config_of(std::move(actions))) {}

QueueWorld::QueueWorld(Config config)
    : actions_(make_actions(config)),
      scheduler_(cluster_, config, make_plugins(config), make_actions(config)) {}

void QueueWorld::add_nodes(int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    Node node;
    node.name = "node-" + std::to_string(i);
    node.allocatable.set(kCpu, 20'000 * kMilli);
    node.allocatable.set(kMemory, 20 * kGigabyte);
    node.allocatable.set(kPods, 110);
    node.allocatable.set(kGpu, kGpusPerNode * kMilli);
    cluster_.upsert(std::move(node));
  }
}

void QueueWorld::add_queue(const QueueShape& shape) {
  Queue queue;
  queue.name = shape.name;
  if (!shape.parent.empty()) queue.parent = cluster_.vocabulary().strings.intern(shape.parent);
  bool unlimited = shape.gpus == QueueShare::kUnlimited;
  queue.gpu.quota = unlimited ? QueueShare::kUnlimited : shape.gpus * kMilli;
  queue.gpu.over_quota_weight = shape.weight;
  queue.cpu.quota = QueueShare::kUnlimited;
  queue.memory.quota = QueueShare::kUnlimited;
  queue.created = 0;
  cluster_.upsert(std::move(queue));
}

GangId QueueWorld::add_gang(const GangShape& shape) {
  StringTable& strings = cluster_.vocabulary().strings;
  Gang gang;
  gang.name_space = strings.intern("default");
  gang.name = shape.name;
  gang.queue = strings.intern(shape.queue);
  gang.min_member = shape.pods;
  gang.created = shape.minute * kMinuteUs;
  if (!shape.required.empty()) {
    gang.topology = {strings.intern("hall"), strings.intern(shape.required), StrId()};
  }
  GangId id = cluster_.upsert(std::move(gang));
  PodSpec spec;
  spec.requests.set(kCpu, kMilli);
  spec.requests.set(kMemory, kGigabyte);
  spec.requests.set(kPods, 1);
  spec.requests.set(kGpu, shape.gpus * kMilli);
  for (int32_t i = 0; i < shape.pods; ++i) {
    Pod pod;
    pod.name_space = strings.intern("default");
    pod.name = shape.name + "-" + std::to_string(i);
    pod.gang = strings.intern("default/" + shape.name);
    pod.completion_index = i;
    pod.created = shape.minute * kMinuteUs;
    auto position = static_cast<size_t>(i);
    if (position < shape.runs.size()) {
      pod.status = PodStatus::Running;
      pod.node = shape.runs[position];
      pod.started = pod.created;
    }
    cluster_.upsert(std::move(pod), spec);
  }
  return id;
}

Session& QueueWorld::run_actions() {
  constexpr TimeUs now = 365 * 24 * 60 * kMinuteUs;
  Session& session = scheduler_.open(now);
  for (const Action& action : actions_) action.run(session);
  return session;
}

QueueWorld::Counts QueueWorld::count(const Session& session) {
  Counts counts;
  for (const Decision& decision : session.decisions()) {
    switch (decision.kind) {
      case Decision::Kind::Bind:
        ++counts.bound;
        break;
      case Decision::Kind::Evict:
        ++counts.evicted;
        break;
      default:
        ++counts.pipelined;
    }
  }
  return counts;
}

}  // namespace trellis::bench
