#include "server/engine/engine.h"

#include <utility>
#include <vector>

#include "actions/actions.h"
#include "plugins/registry.h"
#include "server/writeback/between_cycles.h"
#include "session/cluster/named_table.h"

namespace trellis {

Engine::Engine(const Config& config, PluginWrapper wrapper) : wrapper_(std::move(wrapper)) {
  configure(config);
}

// `config` is passed by value, as it may be the one of the old scheduler, which is destroyed.
void Engine::configure(Config config) {
  std::vector<std::unique_ptr<Plugin>> plugins = make_plugins(config);
  if (wrapper_) {
    for (std::unique_ptr<Plugin>& plugin : plugins) plugin = wrapper_(std::move(plugin));
  }
  std::shared_ptr<const LearnedMix> learned = scheduler_ ? scheduler_->learned() : nullptr;
  std::shared_ptr<const Appointments> appointments =
      scheduler_ ? scheduler_->appointments() : nullptr;
  std::shared_ptr<const RunHistory> past_runs = scheduler_ ? scheduler_->past_runs() : nullptr;
  scheduler_.reset();
  cluster_.mark_all_changed();
  std::vector<Action> actions = make_actions(config);
  scheduler_ = std::make_unique<Scheduler>(cluster_, std::move(config), std::move(plugins),
                                           std::move(actions));
  scheduler_->recall(std::move(learned));
  scheduler_->set_appointments(std::move(appointments));
  scheduler_->set_past_runs(std::move(past_runs));
}

std::shared_ptr<const CycleRecord> Engine::run(TimeUs now, int64_t cycles, const Between& between) {
  keep(scheduler_->run_cycle(now));
  for (int64_t cycle = 1; cycle < cycles; ++cycle) {
    pass_time();
    if (between) between(*record_);
    now += config().period_us;
    keep(scheduler_->run_cycle(now));
  }
  return record_;
}

void Engine::keep(std::shared_ptr<const CycleRecord> record) {
  if (record == record_) return;
  record_ = std::move(record);
  time_passed_ = false;
  add_notes(notes_, *record_, cluster_);
  add_notes(workload_notes_, *record_, cluster_);
}

void Engine::take_notes(const Engine& former) {
  scheduler_->recall(former.scheduler_->learned());
  scheduler_->set_appointments(former.scheduler_->appointments());
  scheduler_->set_past_runs(former.scheduler_->past_runs());
  const Cluster& cluster = former.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  cluster_.set_moved_gpus(cluster.moved_gpus());
  for (const auto& [pod, notes] : former.notes_) {
    if (!cluster.alive(pod)) continue;
    const Pod& named = cluster.pods()[pod].pod;
    PodId here = cluster_.find_pod(strings.view(named.name_space), named.name);
    if (!here.valid()) continue;
    PodNotes& taken = notes_[here] = notes;
    taken.object.name_space = cluster_.pods()[here].pod.name_space;
    if (taken.bound->claims.empty()) continue;
    for (ClaimChoice& choice : taken.bound.edit().claims) {
      choice.claim = cluster_.vocabulary().strings.intern(strings.view(choice.claim));
    }
  }
  const WorkloadRecords& workloads = cluster.workloads();
  workload_notes_.resize(cluster_.workloads().workloads().size());
  for (WorkloadId workload(0U); workload.value < former.workload_notes_.size(); ++workload.value) {
    if (!workloads.workloads().alive(workload)) continue;
    const Workload& named = workloads[workload];
    WorkloadId here =
        cluster_.workloads().workloads().find(full_key(strings, named.name_space, named.name));
    if (!here.valid()) continue;
    workload_notes_[here] = former.workload_notes_[workload];
    workload_notes_[here].object.name_space = cluster_.workloads()[here].name_space;
  }
}

void Engine::adopt(std::shared_ptr<const CycleRecord> record) {
  keep(std::move(record));
  scheduler_->adopt(record_);
}

void Engine::pass_time() {
  if (record_ && !time_passed_) {
    trellis::pass_time(cluster_, *record_, config().requeuing);
  }
  time_passed_ = true;
}

void Engine::assume() {
  if (record_ && !time_passed_) {
    trellis::assume(cluster_, *record_, config().requeuing);
  }
  time_passed_ = true;
}

}  // namespace trellis
