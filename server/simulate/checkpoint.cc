#include "server/simulate/checkpoint.h"

#include <charconv>
#include <utility>

#include "server/document/quantity.h"

namespace trellis {
namespace {

int64_t whole(Value line, std::string_view key) { return to_integer(line[key].text()).value_or(0); }

// kNoTime is not written.
void write_time(DocumentWriter& out, std::string_view key, TimeUs time) {
  if (time != kNoTime) out.field(key, time);
}

TimeUs time_at(Value line, std::string_view key) {
  return line[key].absent() ? kNoTime : whole(line, key);
}

double decimal(Value line, std::string_view key) {
  std::string_view text = line[key].text();
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void write_state(DocumentWriter& out, const SimulationProgressState& state) {
  out.field("now", state.now);
  write_time(out, "nextCycle", state.next_cycle);
  out.field("nextSample", state.next_sample);
  out.field("sampleInterval", state.sample_interval);
  out.field("nextArrival", state.next_arrival);
  out.field("nextChange", state.next_change);
  out.field("idleCycles", state.idle_cycles);
  out.field("cycles", state.cycles);
  out.field("usedGpuSeconds", state.used_gpu_seconds);
  out.field("allGpuSeconds", state.all_gpu_seconds);
  out.field("keptUsedGpuSeconds", state.kept_used_gpu_seconds);
  out.field("keptAllGpuSeconds", state.kept_all_gpu_seconds);
}

SimulationProgressState read_state(Value line) {
  return {.now = whole(line, "now"),
          .next_cycle = time_at(line, "nextCycle"),
          .next_sample = whole(line, "nextSample"),
          .sample_interval = whole(line, "sampleInterval"),
          .next_arrival = whole(line, "nextArrival"),
          .next_change = whole(line, "nextChange"),
          .idle_cycles = whole(line, "idleCycles"),
          .cycles = whole(line, "cycles"),
          .used_gpu_seconds = decimal(line, "usedGpuSeconds"),
          .all_gpu_seconds = decimal(line, "allGpuSeconds"),
          .kept_used_gpu_seconds = decimal(line, "keptUsedGpuSeconds"),
          .kept_all_gpu_seconds = decimal(line, "keptAllGpuSeconds")};
}

void write_gang(DocumentWriter& out, const SimulatedGangState& gang, const GangResult& result) {
  out.field("gang", gang.number);
  out.field("present", gang.present);
  out.field("runs", gang.runs);
  out.field("run", gang.run);
  write_time(out, "started", gang.started);
  write_time(out, "ends", gang.ends);
  write_time(out, "firstStart", result.first_start);
  write_time(out, "end", result.end);
  out.field("evictions", result.evictions);
  out.field("lostGpuSeconds", result.lost_gpu_seconds);
  out.field("fewestDomains", result.fewest_domains);
  out.field("turnedAway", result.turned_away);
  out.begin_array("domains");
  for (const std::string& domain : result.domains) out.text(domain);
  out.end_array();
}

size_t gang_number(Value line) { return static_cast<size_t>(whole(line, "gang")); }

SimulatedGangState read_gang(Value line, GangResult& result) {
  result.first_start = time_at(line, "firstStart");
  result.end = time_at(line, "end");
  result.evictions = static_cast<int32_t>(whole(line, "evictions"));
  result.lost_gpu_seconds = decimal(line, "lostGpuSeconds");
  result.fewest_domains = static_cast<int32_t>(whole(line, "fewestDomains"));
  result.turned_away = line["turnedAway"].boolean();
  for (Value domain : line["domains"].items()) result.domains.emplace_back(domain.text());
  return {.number = static_cast<uint32_t>(whole(line, "gang")),
          .present = line["present"].boolean(),
          .runs = line["runs"].boolean(),
          .run = static_cast<uint32_t>(whole(line, "run")),
          .started = time_at(line, "started"),
          .ends = time_at(line, "ends")};
}

void write_sample(DocumentWriter& out, const Sample& sample) {
  out.field("sample", sample.at);
  out.field("arrived", sample.arrived_gpu_milli);
  out.field("used", sample.used_gpu_milli);
  out.field("stranded", sample.stranded_gpu_milli);
  out.field("all", sample.all_gpu_milli);
  out.field("waiting", sample.waiting);
  out.begin_array("queues");
  for (int64_t used : sample.queue_used_gpu_milli) out.integer(used);
  out.end_array();
}

Sample read_sample(Value line) {
  Sample sample{.at = whole(line, "sample"),
                .arrived_gpu_milli = whole(line, "arrived"),
                .used_gpu_milli = whole(line, "used"),
                .stranded_gpu_milli = whole(line, "stranded"),
                .all_gpu_milli = whole(line, "all"),
                .waiting = whole(line, "waiting")};
  for (Value used : line["queues"].items()) {
    sample.queue_used_gpu_milli.push_back(to_integer(used.text()).value_or(0));
  }
  return sample;
}

void write_pod(DocumentWriter& out, const Cluster& cluster, PodId id) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Pod& pod = cluster.pods()[id].pod;
  out.field("pod", std::string_view(pod.name));
  out.field("namespace", strings.view(pod.name_space));
  out.field("status", static_cast<int64_t>(pod.status));
  out.field("node", std::string_view(pod.node));
  out.field("promised", std::string_view(pod.promised));
  write_time(out, "started", pod.started);
  write_time(out, "leavingSince", pod.leaving_since);
  out.begin_array("gpus");
  for (StrId group : pod.gpu_groups) out.text(strings.view(group));
  out.end_array();
}

void restore_pod(Value line, Cluster& cluster) {
  PodId id = cluster.find_pod(line["namespace"].text(), line["pod"].text());
  if (!id.valid()) return;
  Pod pod = cluster.pods()[id].pod;
  pod.status = static_cast<PodStatus>(whole(line, "status"));
  pod.node = std::string(line["node"].text());
  pod.promised = std::string(line["promised"].text());
  pod.started = time_at(line, "started");
  pod.leaving_since = time_at(line, "leavingSince");
  pod.gpu_groups.clear();
  for (Value group : line["gpus"].items()) {
    pod.gpu_groups.push_back(cluster.vocabulary().strings.intern(group.text()));
  }
  PodSpec spec = cluster.pod_classes()[cluster.pods()[id].pod_class];
  cluster.upsert(std::move(pod), std::move(spec));
}

void write_gang_times(DocumentWriter& out, const Cluster& cluster, GangId id) {
  const Gang& gang = cluster.gangs()[id];
  out.field("times", std::string_view(gang.name));
  out.field("namespace", cluster.vocabulary().strings.view(gang.name_space));
  write_time(out, "started", gang.started);
  write_time(out, "staleSince", gang.stale_since);
}

void restore_gang_times(Value line, Cluster& cluster) {
  GangId gang = cluster.find_gang(line["namespace"].text(), line["times"].text());
  if (!gang.valid()) return;
  cluster.set_gang_times(gang, time_at(line, "started"), time_at(line, "staleSince"));
}

}  // namespace trellis
