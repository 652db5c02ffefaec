#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/json_writer.h"
#include "server/manifest/input_files.h"
#include "server/manifest/manifest.h"
#include "server/objects/cycle_object.h"
#include "server/simulate/checkpoint.h"
#include "server/simulate/simulation.h"
#include "server/writeback/save.h"

namespace trellis {
namespace {

constexpr std::string_view kCheckpointKind = "SimulationCheckpoint";

// FNV-1a, of what the gangs are and how they are scheduled.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (char c : text) mix(static_cast<unsigned char>(c));
    mix(0);
  }
  void add(int64_t number) { add(std::to_string(number)); }
  std::string text() const { return std::to_string(hash_); }

 private:
  void mix(unsigned char byte) {
    constexpr uint64_t kPrime = 1099511628211U;
    hash_ = (hash_ ^ byte) * kPrime;
  }
  uint64_t hash_ = 14695981039346656037U;
};

// One object a line.
template <class Write>
void write_line(ByteSink& sink, Write write) {
  JsonWriter out(sink, 0);
  out.begin_object();
  write(out);
  out.end_object();
  out.finish();
}

}  // namespace

std::string Simulation::fingerprint() const {
  Fingerprint print;
  print.add(static_cast<int64_t>(options_.changes.size()));
  print.add(cycle_line({.now = start_, .config = engine_.config()}));
  for (NodeId node : cluster_.nodes_by_name()) print.add(cluster_.nodes()[node].name);
  for (const GangResult& gang : result_.gangs) {
    print.add(gang.name);
    print.add(gang.arrival);
    print.add(gang.duration);
    print.add(gang.gpu_milli);
  }
  return print.text();
}

void Simulation::write_head(DocumentWriter& out) const {
  out.field("kind", kCheckpointKind);
  out.field("input", fingerprint_);
  write_state(out, {.now = now_,
                    .next_cycle = next_cycle_,
                    .next_sample = next_sample_,
                    .sample_interval = sample_interval_,
                    .next_arrival = static_cast<int64_t>(next_arrival_),
                    .next_change = static_cast<int64_t>(next_change_),
                    .idle_cycles = idle_cycles_,
                    .cycles = result_.cycles,
                    .used_gpu_seconds = used_gpu_seconds_,
                    .all_gpu_seconds = all_gpu_seconds_,
                    .kept_used_gpu_seconds = result_.used_gpu_seconds,
                    .kept_all_gpu_seconds = result_.all_gpu_seconds});
}

std::string Simulation::checkpoint() const {
  StringSink sink;
  write_line(sink, [&](DocumentWriter& out) { write_head(out); });
  sink.write(cycle_line({.now = now_,
                         .config = engine_.config(),
                         .moved_gpus = cluster_.moved_gpus(),
                         .learned = engine_.scheduler().learned(),
                         .appointments = engine_.scheduler().appointments(),
                         .past_runs = engine_.scheduler().past_runs()}));
  for (uint32_t i = 0; i < next_arrival_; ++i) {
    const State& state = states_[i];
    SimulatedGangState gang{.number = i,
                            .present = state.gang.valid(),
                            .runs = state.runs,
                            .run = state.run,
                            .started = state.started,
                            .ends = state.runs ? state.ends : kNoTime};
    write_line(sink, [&](DocumentWriter& out) { write_gang(out, gang, result_.gangs[i]); });
  }
  for (const Sample& sample : result_.samples) {
    write_line(sink, [&](DocumentWriter& out) { write_sample(out, sample); });
  }
  for (PodId pod : cluster_.pods_by_name()) {
    write_line(sink, [&](DocumentWriter& out) { write_pod(out, cluster_, pod); });
  }
  for (GangId gang : cluster_.gangs_by_name()) {
    write_line(sink, [&](DocumentWriter& out) { write_gang_times(out, cluster_, gang); });
  }
  return sink.text();
}

void Simulation::restore_head(Value line) {
  SimulationProgressState state = read_state(line);
  now_ = state.now;
  next_cycle_ = state.next_cycle;
  next_sample_ = state.next_sample;
  sample_interval_ = state.sample_interval;
  next_arrival_ = static_cast<size_t>(state.next_arrival);
  idle_cycles_ = state.idle_cycles;
  result_.cycles = state.cycles;
  used_gpu_seconds_ = state.used_gpu_seconds;
  all_gpu_seconds_ = state.all_gpu_seconds;
  result_.used_gpu_seconds = state.kept_used_gpu_seconds;
  result_.all_gpu_seconds = state.kept_all_gpu_seconds;
  auto changed = static_cast<size_t>(state.next_change);
  for (; next_change_ < changed && next_change_ < options_.changes.size(); ++next_change_) {
    cluster_.apply(options_.changes[next_change_].changes);
  }
  measure_cluster();
}

void Simulation::restore_gang(Value line) {
  size_t number = gang_number(line);
  if (number >= states_.size()) return;
  GangResult& result = result_.gangs[number];
  SimulatedGangState gang = read_gang(line, result);
  State& state = states_[number];
  state.runs = gang.runs;
  state.run = gang.run;
  state.started = gang.started;
  state.ends = gang.ends;
  arrived_gpu_milli_ += result.gpu_milli;
  if (!gang.present) {
    ++done_;
    return;
  }
  GangPlan plan = source_.plan(number);
  cluster_.add(source_.objects(number, cluster_.vocabulary()));
  state.gang = cluster_.find_gang(plan.name_space, plan.name);
  present(state.gang) = {gang.number, 0};
  if (!state.runs) ++waiting_;
  if (state.runs && state.ends != kNoTime) ends_.push({state.ends, gang.number, state.run});
}

void Simulation::restore_line(Value line) {
  if (!line["gang"].absent()) return restore_gang(line);
  if (!line["sample"].absent()) {
    result_.samples.push_back(read_sample(line));
  } else if (!line["pod"].absent()) {
    restore_pod(line, cluster_);
  } else if (!line["times"].absent()) {
    restore_gang_times(line, cluster_);
  }
}

std::string Simulation::restore(std::string_view text) {
  begin();
  std::string wrong;
  bool known = false;
  std::vector<Diagnostic> faults;
  ReadSink sink{.file = "checkpoint",
                .diagnostics = &faults,
                .document =
                    [&](const Document& document, const ListHead&) {
                      Value line = document.root();
                      if (line["kind"].text() == kCheckpointKind) {
                        known = line["input"].text() == fingerprint_;
                        if (known) restore_head(line);
                      } else if (known) {
                        restore_line(line);
                      }
                    },
                .progress = {},
                .consumed = {}};
  std::string terminated(text);
  read_documents(terminated, sink);
  if (!known) return "it is of another simulation: of other gangs, nodes or another configuration";
  if (!faults.empty()) return to_string(faults.front());
  // The second line is the cycle's.
  size_t first = terminated.find('\n') + 1;
  std::string cycle = terminated.substr(first, terminated.find('\n', first) + 1 - first);
  Manifest manifest = read_manifest_text("checkpoint", cycle, cluster_.vocabulary());
  if (manifest.cycle) {
    cluster_.set_moved_gpus(manifest.cycle->moved_gpus);
    engine_.scheduler().recall(manifest.cycle->learned);
    engine_.scheduler().set_appointments(manifest.cycle->appointments);
    engine_.scheduler().set_past_runs(manifest.cycle->past_runs);
  }
  for (GangId id(0U); id.value < cluster_.gangs().size(); ++id.value) {
    if (cluster_.alive(id)) count_held(id);
  }
  return "";
}

}  // namespace trellis
