#include "server/serve/service.h"

#include <chrono>
#include <utility>

#include "server/debug/level_figures.h"
#include "server/serve/cycle_log.h"
#include "server/serve/measure_cycle.h"

namespace trellis {
namespace {

// What is left of the second goes to the listeners.
constexpr std::chrono::milliseconds kPatience{600};
constexpr size_t kAnsweringThreads = 4;
// Answers give way to cycles.
constexpr int kNiceness = 5;

}  // namespace

Service::Service(ServiceOptions options, Log& log)
    : options_(std::move(options)),
      log_(log),
      observer_(options_.config),
      api_({.observer = observer_,
            .healthy = [this] { return !started_ || loop_->healthy(); },
            .metrics = [this] { return exposition(); }}) {}

Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::start(ServiceOptions options, Log& log) {
  std::unique_ptr<Service> service(new Service(std::move(options), log));
  if (std::optional<std::string> failure = service->listen()) return error(*failure);
  service->start_writing_back();
  service->start_cycles();
  return service;
}

// Why it cannot; none: it does.
std::optional<std::string> Service::listen() {
  auto http = HttpServer::start(
      {.listen = options_.listen, .threads = kAnsweringThreads, .niceness = kNiceness},
      [this](const HttpRequest& request) { return api_.answer(request); });
  if (!http) return http.error().message;
  http_ = std::move(*http);
  if (!options_.health_listen) return std::nullopt;
  auto health =
      HttpServer::start({.listen = *options_.health_listen, .threads = 1},
                        [this](const HttpRequest& request) { return api_.answer_health(request); });
  if (!health) return health.error().message;
  health_ = std::move(*health);
  return std::nullopt;
}

void Service::start_writing_back() {
  if (!options_.writes || !options_.cluster) return;
  status_ = std::make_unique<StatusThread>(StatusThread::Options{.observer = observer_,
                                                                 .pool = *options_.writes,
                                                                 .log = log_,
                                                                 .objects = options_.cluster,
                                                                 .may_write = options_.may_write,
                                                                 .book = {}});
}

void Service::start_cycles() {
  auto runner = std::make_unique<CycleRunner>(std::move(options_.source), options_.config,
                                              Engine::PluginWrapper(), options_.sink.get());
  loop_ = std::make_unique<CycleLoop>(
      std::move(runner),
      CycleLoop::Callbacks{.finished = [this](std::shared_ptr<const FinishedCycle> cycle,
                                              CycleRunner& of) { finished(std::move(cycle), of); },
                           .failed =
                               [this](const std::string& why) {
                                 metrics_.observe_failed_cycle();
                                 log_cycle_failure(log_, why);
                               }});
  started_ = true;
}

void Service::finished(std::shared_ptr<const FinishedCycle> cycle, CycleRunner& runner) {
  metrics_.observe(measure_cycle(*cycle, runner));
  if (cycle->diagnostics != told_) {
    log_input(log_, told_.get(), *cycle->diagnostics);
    told_ = cycle->diagnostics;
  }
  log_cycle(log_, *cycle, runner.engine().cluster());
  std::shared_ptr<const CycleRecord> record = cycle->record;
  observer_.publish(std::move(cycle), runner.take_input());
  if (status_) status_->finished(*record, runner.engine().cluster());
}

std::string Service::exposition() {
  if (options_.cluster) metrics_.set_cluster(measure_cluster(*options_.cluster));
  if (options_.bind_figures) metrics_.set_binds(options_.bind_figures());
  api_.look([this](CycleView& view) {
    if (measured_cycle_ == view.cycle().number) return;
    measured_cycle_ = view.cycle().number;
    metrics_.set_topology(measure_levels(view));
  });
  return metrics_.exposition();
}

void Service::configure(const Config& config) { loop_->configure(config); }

bool Service::stop() {
  bool ended = !loop_ || loop_->stop(kPatience);
  if (!ended) return false;
  status_.reset();
  if (http_) http_->stop();
  if (health_) health_->stop();
  return true;
}

}  // namespace trellis
