#include "server/debug/session_answer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/time.h"
#include "server/document/duration.h"
#include "server/document/json_writer.h"
#include "server/document/timestamp.h"
#include "server/view/decisions_table.h"
#include "server/view/gang_summary.h"
#include "server/view/gpu_output.h"
#include "server/view/text_table.h"
#include "server/view/waiting.h"
#include "server/wording/names_text.h"
#include "server/wording/reason_text.h"
#include "session/times/expected_ends.h"

namespace trellis {
namespace {

constexpr size_t kMostAppointments = 50;

void write_times(DocumentWriter& out, std::string_view key, const std::vector<PartTime>& times) {
  out.begin_array(key);
  for (const PartTime& time : times) {
    out.begin_object();
    out.field("name", time.name);
    out.field("seconds", seconds(time.ns));
    out.end_object();
  }
  out.end_array();
}

void write_summary(DocumentWriter& out, const CycleSummary& summary,
                   const WorkloadSummary& workloads) {
  out.begin_object("summary");
  out.field("gangs", summary.gangs);
  out.field("gangsPlaced", summary.gangs_placed);
  out.field("pods", summary.pods);
  out.field("podsPlaced", summary.pods_placed);
  out.field("podsEvicted", summary.pods_evicted);
  out.field("gpus", summary.gpus);
  out.field("gpusUsed", summary.gpus_used);
  out.field("gpusClosed", summary.gpus_closed);
  out.field("domains", summary.domains);
  out.field("workloads", workloads.workloads);
  out.field("workloadsAdmitted", workloads.admitted);
  out.end_object();
}

void write_waiter(DocumentWriter& out, const CycleView& view, const Waiter& waiter) {
  const Cluster& cluster = view.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  bool is_gang = waiter.gang.valid();
  SharedReasons of_workload;
  if (!is_gang) of_workload = view.record().workloads[waiter.workload].reasons;
  const std::vector<Reason>& reasons =
      is_gang ? view.record().gangs[waiter.gang].reasons : *of_workload;
  out.begin_object();
  out.field("kind", is_gang ? "gang" : "workload");
  if (is_gang) {
    out.field("namespace", strings.view(cluster.gangs()[waiter.gang].name_space));
    out.field("name", cluster.gangs()[waiter.gang].name);
  } else {
    out.field("namespace", strings.view(cluster.workloads()[waiter.workload].name_space));
    out.field("name", cluster.workloads()[waiter.workload].name);
  }
  write_waiting_since(out, waiter.since);
  out.field("code", to_string(reasons.front().code));
  out.field("message", reason_text(cluster, reasons.front()));
  out.end_object();
}

void write_waiting(DocumentWriter& out, const CycleView& view, const WaitingList& waiting) {
  out.begin_array("waiting");
  for (const WaitingCount& count : waiting.counts) {
    out.begin_object();
    out.field("code", count.code);
    out.field("gangs", count.gangs);
    out.field("workloads", count.workloads);
    out.end_object();
  }
  out.end_array();
  out.begin_array("longestWaiting");
  for (const Waiter& waiter : waiting.longest) write_waiter(out, view, waiter);
  out.end_array();
}

// What a waiting gang says of its start.
struct StartNote {
  GangId gang;
  const Reason* reason = nullptr;
};

// By start, then by name.
std::vector<StartNote> appointed_starts(const CycleView& view) {
  std::vector<StartNote> starts;
  if (view.record().appointments == nullptr) return starts;
  for (GangId gang : view.cluster().gangs_by_name()) {
    const std::vector<Reason>& reasons = view.record().gangs[gang].reasons;
    auto note = std::ranges::find(reasons, ReasonCode::StartAppointed, &Reason::code);
    if (note != reasons.end()) starts.push_back({gang, &*note});
  }
  std::ranges::stable_sort(starts, {}, [](const StartNote& start) { return start.reason->at; });
  return starts;
}

void write_appointments(DocumentWriter& out, const CycleView& view) {
  const Cluster& cluster = view.cluster();
  std::vector<StartNote> starts = appointed_starts(view);
  ExpectedEnds ends(view.session(), view.session().past_runs().get());
  out.begin_array("appointments");
  for (size_t i = 0; i < starts.size() && i < kMostAppointments; ++i) {
    const auto& [gang, reason] = starts[i];
    out.begin_object();
    out.field("namespace", cluster.vocabulary().strings.view(cluster.gangs()[gang].name_space));
    out.field("name", cluster.gangs()[gang].name);
    out.field("start", format_timestamp(reason->at));
    TimeUs end = time_after(reason->at, ends.run_time(gang));
    if (end != kNever) out.field("end", format_timestamp(end));
    out.field("message", reason_text(cluster, *reason));
    out.end_object();
  }
  out.end_array();
}

// The pods that the cycle decided about, by name, each once.
std::vector<PodId> decided_pods(const CycleView& view) {
  std::vector<PodId> pods;
  for (const Decision& decision : view.record().decisions) pods.push_back(decision.pod);
  std::sort(pods.begin(), pods.end());
  pods.erase(std::unique(pods.begin(), pods.end()), pods.end());
  std::vector<std::pair<std::string, PodId>> named;
  for (PodId pod : pods) named.emplace_back(full_name(view.cluster(), pod), pod);
  std::sort(named.begin(), named.end());
  for (size_t i = 0; i < pods.size(); ++i) pods[i] = named[i].second;
  return pods;
}

void write_decided(DocumentWriter& out, const CycleView& view, int64_t limit) {
  std::vector<PodId> pods = decided_pods(view);
  auto shown = static_cast<size_t>(std::min(limit, static_cast<int64_t>(pods.size())));
  const Cluster& cluster = view.cluster();
  out.begin_array("decided");
  for (size_t i = 0; i < shown; ++i) {
    const Pod& pod = cluster.pods()[pods[i]].pod;
    const PodOutcome& outcome = view.record().pods[pods[i]];
    out.begin_object();
    out.field("namespace", cluster.vocabulary().strings.view(pod.name_space));
    out.field("name", pod.name);
    out.field("gang", cluster.vocabulary().strings.view(pod.gang));
    if (outcome.node.valid()) out.field("node", cluster.nodes()[outcome.node].name);
    out.field("status", to_string(outcome.status));
    out.field("action", outcome.action);
    out.end_object();
  }
  out.end_array();
  out.field("more", pods.size() - shown);
}

}  // namespace

std::string session_json(CycleView& view, int64_t limit) {
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  const FinishedCycle& cycle = view.cycle();
  out.begin_object();
  out.field("cycle", cycle.number);
  out.field("now", format_timestamp(view.record().now));
  out.field("durationSeconds", seconds(cycle.times.cycle_ns));
  out.field("period", format_duration(view.engine().config().period_us));
  write_times(out, "actions", cycle.times.actions);
  write_times(out, "plugins", cycle.times.plugins);
  write_summary(out, view.summary(), view.workload_summary());
  write_gpus(out, view.session(), view.gpus());
  write_waiting(out, view, view.waiting());
  write_appointments(out, view);
  write_decided(out, view, limit);
  out.begin_array("errors");
  for (const Diagnostic& diagnostic : *cycle.diagnostics) {
    if (diagnostic.severity == Severity::Error) out.text(to_string(diagnostic));
  }
  out.end_array();
  // Only warnings about the input as a whole, as there may be very many about single objects.
  out.begin_array("warnings");
  for (const Diagnostic& diagnostic : *cycle.diagnostics) {
    bool of_all = diagnostic.severity == Severity::Warning && diagnostic.file.empty();
    if (of_all) out.text(to_string(diagnostic));
  }
  out.end_array();
  out.end_object();
  out.finish();
  return sink.text();
}

std::string session_text(const CycleView& view) {
  const FinishedCycle& cycle = view.cycle();
  std::string text = "cycle " + std::to_string(cycle.number) + " at " +
                     format_timestamp(view.record().now) + ", " +
                     number_text(seconds(cycle.times.cycle_ns)) + " s\n\n";
  TextTable times({{"PART", Align::Left}, {"NAME", Align::Left}, {"SECONDS", Align::Right}});
  for (const PartTime& time : cycle.times.actions) {
    times.add_row({{"action"}, {std::string(time.name)}, {number_text(seconds(time.ns))}});
  }
  for (const PartTime& time : cycle.times.plugins) {
    times.add_row({{"plugin"}, {std::string(time.name)}, {number_text(seconds(time.ns))}});
  }
  text += times.render(Colours::Off) + "\n";
  for (const Diagnostic& diagnostic : *cycle.diagnostics) text += to_string(diagnostic) + "\n";
  return text + decisions_table(view.cluster(), view.record(), Colours::Off);
}

}  // namespace trellis
