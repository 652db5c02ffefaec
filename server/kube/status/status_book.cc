#include "server/kube/status/status_book.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

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

StatusBook::StatusBook(const Options& options) : line_(options.statuses), events_(options.events) {}

void StatusBook::look(const StatusView& view) {
  std::vector<WriteKey> wishes;
  reasons_.look(view.cluster, view.record, view.now);
  gangs_.look(view, reasons_, wishes);
  pods_.look(view, reasons_, wishes);
  queues_.look(view, wishes);
  workloads_.look(view, wishes);
  for (const WriteKey& key : wishes) line_.wish(key, view.now);
  for (ClusterEvent& event : cycle_events_.look(view, reasons_)) {
    events_.say(std::move(event), view.now);
  }
}

void StatusBook::evicted(std::span<const EvictedPod> pods, TimeUs now) {
  for (ClusterEvent& event : CycleEvents::of_evictions(pods)) events_.say(std::move(event), now);
}

WorkloadWrites::Made StatusBook::request_for(const StatusView& view, const WriteKey& key) {
  if (key.part == WritePart::Start || key.kind == "Workload") return workloads_.request(view, key);
  if (key.kind == "Queue") return {.request = queues_.request(view, key)};
  if (key.kind == "Pod") return {.request = pod_status_request(view, reasons_, key)};
  return {.request = gang_status_request(view, reasons_, gangs_, key)};
}

std::optional<StatusBook::Write> StatusBook::next_write(const StatusView& view) {
  while (std::optional<WriteKey> key = line_.next(view.now)) {
    WorkloadWrites::Made made = request_for(view, *key);
    if (made.not_yet) {
      line_.put_off(*key, view.now);
    } else if (!made.request) {
      line_.drop(*key);
    } else {
      line_.sent(*key, view.now);
      if (made.more) line_.wish(*key, view.now);
      return Write{std::move(*key), std::move(*made.request)};
    }
  }
  return std::nullopt;
}

WriteLine::Fate StatusBook::done(const WriteKey& key, const ApiAnswer& answer, TimeUs now) {
  WriteLine::Fate fate = line_.done(key, answer, now);
  workloads_.done(key, answer);
  if (fate == WriteLine::Fate::Written) ++figures_.written;
  if (fate == WriteLine::Fate::Again) ++figures_.again;
  if (fate == WriteLine::Fate::Refused) ++figures_.refused;
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
  return earliest({line_.next_at(now), events_.next_at(now), next_look()});
}

StatusFigures StatusBook::figures() const {
  StatusFigures figures = figures_;
  figures.events_dropped = events_.dropped();
  return figures;
}

}  // namespace trellis
