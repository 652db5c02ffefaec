// Answers all requests of the service: the page, health, metrics, and everything below /debug.
//
// Guarantees: several threads may call it at once. Questions about a cycle wait for each other,
// never for a cycle, and no cycle waits for them. /healthz and /readyz wait for nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"
#include "server/serve/failed_cycle.h"
#include "server/serve/history.h"
#include "server/serve/observer.h"

namespace trellis {

// Whether this service leads, when several services serve one cluster.
struct Standing {
  bool leads = false;
  std::string text;  // for example "standing by, ... leads"
};

class DebugApi {
 public:
  struct Sources {
    Observer& observer;
    std::function<bool()> healthy;             // whether cycles run
    std::function<std::string()> metrics;      // for /metrics
    std::function<Standing()> standing;        // empty: there is no election
    std::function<std::string()> differences;  // of a dry run, as JSON; empty: no dry run
    const History* history = nullptr;          // of the last cycles; null: none is kept
    // The last cycle that failed; and whether no cycle has finished since. Empty: none is kept.
    std::function<std::shared_ptr<const FailedCycle>()> failed_cycle = {};
    std::function<bool()> failing = {};
    std::function<void(const std::string& why)> answer_failed = {};  // may be empty
  };
  explicit DebugApi(Sources sources) : sources_(std::move(sources)) {}

  HttpResponse answer(const HttpRequest& request);
  // Answers health requests only.
  HttpResponse answer_health(const HttpRequest& request) const;
  // Answers requests for metrics only: these name nothing that runs in the cluster.
  HttpResponse answer_metrics(const HttpRequest& request) const;

  // Calls `question` with the last finished cycle; false: there is none yet. An exception of
  // `question` is passed on.
  bool look(const std::function<void(CycleView&)>& question);

 private:
  HttpResponse answer_debug(const HttpRequest& request);
  HttpResponse answer_failed_cycle() const;
  std::string health() const;

  Sources sources_;
  CycleView view_;  // used only while the observer answers
};

}  // namespace trellis
