// Answers all requests of the service: the page, health, metrics, and everything below /debug.
//
// Guarantees: may be called on several threads at once; questions about a cycle wait for each
// other, never for a cycle, and no cycle waits for them. /healthz and /readyz wait for nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"
#include "server/serve/failed_cycle.h"
#include "server/serve/observer.h"

namespace trellis {

// Of several services, which one leads.
struct Standing {
  bool leads = false;
  std::string text;  // "standing by, ... leads"
};

class DebugApi {
 public:
  struct Sources {
    Observer& observer;
    std::function<bool()> healthy;             // whether cycles run
    std::function<std::string()> metrics;      // for /metrics
    std::function<Standing()> standing;        // empty: there is no election
    std::function<std::string()> differences;  // of a dry run, as JSON; empty: it is none
    // The last cycle that failed, and whether no other has finished since; empty: none is kept.
    std::function<std::shared_ptr<const FailedCycle>()> failed_cycle = {};
    std::function<bool()> failing = {};
    std::function<void(const std::string& why)> answer_failed = {};  // may be empty
  };
  explicit DebugApi(Sources sources) : sources_(std::move(sources)) {}

  HttpResponse answer(const HttpRequest& request);
  // Only what says whether the service is well.
  HttpResponse answer_health(const HttpRequest& request) const;
  // Only the figures: nothing of what runs in the cluster is named there.
  HttpResponse answer_metrics(const HttpRequest& request) const;

  // Looks at the last finished cycle; false: there is none yet. What the question throws is thrown
  // on.
  bool look(const std::function<void(CycleView&)>& question);

 private:
  HttpResponse answer_debug(const HttpRequest& request);
  HttpResponse answer_failed_cycle() const;
  std::string health() const;

  Sources sources_;
  CycleView view_;  // looked at only while the observer answers
};

}  // namespace trellis
