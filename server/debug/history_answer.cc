#include "server/debug/history_answer.h"

#include <algorithm>
#include <string>

#include "framework/time.h"
#include "server/debug/parameters.h"
#include "server/document/json_writer.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

void write_cycle(DocumentWriter& out, const PastCycle& cycle) {
  out.begin_object();
  out.field("cycle", cycle.number);
  out.field("now", format_timestamp(cycle.now));
  out.field("durationSeconds", seconds(cycle.duration_ns));
  out.field("gpus", cycle.gpus);
  out.field("gpusUsed", cycle.gpus_used);
  out.field("podsPlaced", cycle.pods_placed);
  out.field("gangsWaiting", cycle.gangs_waiting);
  out.field("workloadsWaiting", cycle.workloads_waiting);
  out.field("podsBound", cycle.bound);
  out.field("podsPromised", cycle.promised);
  out.field("podsEvicted", cycle.evicted);
  out.field("workloadsAdmitted", cycle.workloads_admitted);
  out.field("workloadsEvicted", cycle.workloads_evicted);
  out.field("events", cycle.events);
  out.end_object();
}

void write_event(DocumentWriter& out, const PastEvent& event) {
  out.begin_object();
  out.field("cycle", event.cycle);
  out.field("now", format_timestamp(event.now));
  out.field("kind", event.kind);
  out.field("name", event.name);
  out.field("what", event.what);
  out.field("pods", event.pods);
  if (!event.place.empty()) out.field("place", event.place);
  out.end_object();
}

}  // namespace

HttpResponse answer_history(const History& history, const HttpRequest& request) {
  Parameters parameters(request);
  int64_t after = parameters.count("after", 0);
  int64_t limit = parameters.count("limit", History::kCycles);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  size_t most = std::min(static_cast<size_t>(limit), History::kCycles);
  History::Part part = history.after(after, most);
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.begin_array("cycles");
  for (const PastCycle& cycle : part.cycles) write_cycle(out, cycle);
  out.end_array();
  out.begin_array("events");
  for (const PastEvent& event : part.events) write_event(out, event);
  out.end_array();
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
