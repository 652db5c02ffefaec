#include "server/kube/status/status_book.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "framework/sort_unique.h"
#include "session/record/touched.h"

namespace trellis {
namespace {

// kNoTime: none of them.
TimeUs earliest(std::initializer_list<TimeUs> times) {
  TimeUs first = kNoTime;
  for (TimeUs at : times) {
    if (at != kNoTime) first = first == kNoTime ? at : std::min(first, at);
  }
  return first;
}

}  // namespace

StatusBook::StatusBook(const Options& options)
    : reasons_(options.nodes), queue_(options.statuses), events_(options.events) {}

// A pod's status depends on why its gang waits, which may change by time alone.
void StatusBook::look(const StatusView& view, const Touched& touched) {
  const Touched all;
  const Touched& since = std::exchange(looked_, true) ? touched : all;
  std::vector<GangId> gangs = touched_gangs(view.record, since);
  std::vector<PodId> pods = touched_pods(view.record, since);
  reasons_.look(view.cluster, view.record, gangs, view.now);
  for (GangId gang : reasons_.changed()) {
    gangs.push_back(gang);
    const std::vector<PodId>& its = view.cluster.pods_of(gang);
    pods.insert(pods.end(), its.begin(), its.end());
  }
  sort_unique(gangs);
  sort_unique(pods);
  std::vector<WriteKey> due_writes;
  gangs_.look(view, reasons_, gangs, due_writes);
  core_groups_.look(view, reasons_, gangs, due_writes);
  pods_.look(view, reasons_, pods, due_writes);
  queues_.look(view, due_writes);
  workloads_.look(view, pods, due_writes);
  for (const WriteKey& key : due_writes) queue_.add(key, view.now);
  say(cycle_events_.look(view, reasons_, gangs, pods), view.now);
}

void StatusBook::say(std::vector<ClusterEvent> events, TimeUs now) {
  for (ClusterEvent& event : events) events_.say(std::move(event), now);
}

WorkloadWrites::Made StatusBook::request_for(const StatusView& view, const WriteKey& key) {
  if (key.part == WritePart::Start || key.kind == "Workload") return workloads_.request(view, key);
  if (key.kind == "Queue") return {.request = queues_.request(view, key)};
  if (key.kind == "Pod") return {.request = pod_status_request(view, reasons_, key)};
  if (key.group == kCoreGroups) return {.request = core_groups_.request(view, reasons_, key)};
  return {.request = gang_status_request(view, reasons_, key)};
}

std::optional<StatusBook::Write> StatusBook::next_write(const StatusView& view) {
  while (std::optional<WriteKey> key = queue_.next(view.now)) {
    WorkloadWrites::Made made = request_for(view, *key);
    if (made.not_yet) {
      queue_.delay(*key, view.now);
    } else if (!made.request) {
      queue_.drop(*key);
    } else {
      queue_.sent(*key, view.now);
      if (made.more) queue_.add(*key, view.now);
      return Write{std::move(*key), std::move(*made.request)};
    }
  }
  return std::nullopt;
}

WriteQueue::Fate StatusBook::done(const WriteKey& key, const ApiAnswer& answer, TimeUs now) {
  WriteQueue::Fate fate = queue_.done(key, answer, now);
  workloads_.done(key, answer);
  if (fate == WriteQueue::Fate::Written) ++figures_.written;
  if (fate == WriteQueue::Fate::Again) ++figures_.again;
  if (fate == WriteQueue::Fate::Refused) ++figures_.refused;
  return fate;
}

std::optional<EventBook::Write> StatusBook::next_event(TimeUs now) { return events_.next(now); }

void StatusBook::done(EventBook::Ticket ticket, const ApiAnswer& answer, TimeUs now) {
  if (answer.accepted()) ++figures_.events;
  events_.done(ticket, answer, now);
}

TimeUs StatusBook::next_look() const {
  return earliest({reasons_.next_look(), queues_.next_look(), workloads_.next_look()});
}

TimeUs StatusBook::next_at(TimeUs now) {
  return earliest({queue_.next_at(now), events_.next_at(now), next_look()});
}

StatusFigures StatusBook::figures() const {
  StatusFigures figures = figures_;
  figures.events_dropped = events_.dropped();
  return figures;
}

}  // namespace trellis
