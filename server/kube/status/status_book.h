// All writes about finished cycles, without a thread, a clock or a connection: a look finds what
// has to be written, and the writes are returned one by one in turn.
//
// Guarantees: what an object already contains is not written; of several writes to one object only
// the last is made; statuses and Events have rates of their own. Time comes in as an argument. One
// thread at a time. Cost: a look O(what was touched + workloads) comparisons of numbers, and what
// changed; the first one O(pods + gangs); a write the text of its object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/kube/status/core_group_status.h"
#include "server/kube/status/cycle_events.h"
#include "server/kube/status/event_book.h"
#include "server/kube/status/gang_status.h"
#include "server/kube/status/pod_status.h"
#include "server/kube/status/queue_status.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/waiting_reasons.h"
#include "server/kube/status/workload_writes.h"
#include "server/kube/status/write_queue.h"
#include "server/metrics/cycle_figures.h"

namespace trellis {

class StatusBook {
 public:
  struct Options {
    WriteQueue::Options statuses{.rate = {.per_second = 100, .burst = 200}, .most_in_flight = 8};
    CallForNodes nodes = CallForNodes::ByCondition;
    EventBook::Options events{.rate = {.per_second = 25, .burst = 100}, .instance = {}};
  };
  explicit StatusBook(const Options& options);

  // Looks at a finished cycle. `touched`: since the last look; the first look is at everything.
  void look(const StatusView& view, const Touched& touched);
  void say(std::vector<ClusterEvent> events, TimeUs now);

  struct Write {
    WriteKey key;
    ApiRequest request;
  };
  // The next write that is due; nullopt: none now. REQUIRES: a look at this cycle.
  std::optional<Write> next_write(const StatusView& view);
  WriteQueue::Fate done(const WriteKey& key, const ApiAnswer& answer, TimeUs now);
  std::optional<EventBook::Write> next_event(TimeUs now);
  void done(EventBook::Ticket ticket, const ApiAnswer& answer, TimeUs now);

  // Whether next_write() may return a write. It needs a view, next_event() does not.
  bool has_write(TimeUs now) { return is_due(queue_.next_at(now), now); }
  // When to call again, without a new cycle; kNoTime: never.
  TimeUs next_at(TimeUs now);
  // When another look at the same cycle finds more; kNoTime: never.
  TimeUs next_look() const;

  StatusFigures figures() const;

 private:
  static bool is_due(TimeUs at, TimeUs now) { return at != kNoTime && at <= now; }
  WorkloadWrites::Made request_for(const StatusView& view, const WriteKey& key);

  GangReasons reasons_;
  PodStatuses pods_;
  GangStatuses gangs_;
  CoreGroupStatuses core_groups_;
  QueueStatuses queues_;
  WorkloadWrites workloads_;
  CycleEvents cycle_events_;
  WriteQueue queue_;
  EventBook events_;
  StatusFigures figures_;  // without events_dropped
  bool looked_ = false;
};

}  // namespace trellis
