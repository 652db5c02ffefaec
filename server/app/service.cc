#include "server/app/service.h"

#include <chrono>
#include <exception>
#include <utility>

#include "server/app/measure_cycle.h"
#include "server/debug/level_figures.h"
#include "server/serve/cycle_log.h"

namespace trellis {
namespace {

// stop() gives this time to the cycle, and the rest of a second to the listeners.
constexpr std::chrono::milliseconds kPatience{600};
constexpr std::chrono::milliseconds kReleasePatience{1000};
constexpr size_t kAnsweringThreads = 4;
constexpr int64_t kMostBodyBytes = 1 << 20;
// Answers have a lower priority than cycles.
constexpr int kNiceness = 5;

}  // namespace

Service::Service(WayToServe way, ServiceOptions options, Log& log)
    : way_(std::move(way)),
      options_(std::move(options)),
      log_(log),
      comparison_(std::holds_alternative<ServeBeside>(way_)
                      ? std::make_unique<DryRunComparison>(log)
                      : nullptr),
      cycle_log_(log, comparison_ ? CycleLog::Decisions::Shown : CycleLog::Decisions::CarriedOut),
      observer_(options_.config),
      api_(sources()) {}

DebugApi::Sources Service::sources() {
  DebugApi::Sources sources{.observer = observer_,
                            .healthy = [this] { return !started_ || loop_->healthy(); },
                            .metrics = [this] { return exposition(); },
                            .standing = {},
                            .differences = {}};
  sources.failed_cycle = [this] {
    std::lock_guard lock(failed_mutex_);
    return failed_;
  };
  sources.failing = [this] { return failing_.load(); };
  sources.answer_failed = [this](const std::string& why) {
    metrics_.observe_failed_answer();
    log_.event(LogLevel::Error, "a question cannot be answered", {{"why", why}});
  };
  sources.history = &history_;
  if (comparison_) sources.differences = [this] { return comparison_->json(); };
  if (elector() != nullptr) {
    sources.standing = [this] { return Standing{elector()->leads(), elector()->standing()}; };
  }
  return sources;
}

Service::~Service() { stop(); }

const LiveCluster* Service::live() const {
  if (const auto* beside = std::get_if<ServeBeside>(&way_)) return &beside->cluster;
  const auto* cluster = std::get_if<ServeCluster>(&way_);
  return cluster != nullptr ? &cluster->cluster : nullptr;
}

Elector* Service::elector() const { return live() != nullptr ? live()->elector.get() : nullptr; }

Result<std::unique_ptr<Service>> Service::start(WayToServe way, ServiceOptions options, Log& log) {
  std::unique_ptr<Service> service(new Service(std::move(way), std::move(options), log));
  // Before the server listens, so that each answer finds all its parts.
  service->start_writing_back();
  if (std::optional<std::string> failure = service->listen()) return error(*failure);
  service->start_cycles();
  return service;
}

// Returns an error, or none: the service listens.
std::optional<std::string> Service::listen() {
  auto http =
      HttpServer::start({.listen = options_.listen,
                         .threads = kAnsweringThreads,
                         .niceness = kNiceness,
                         .body_limit_bytes = kMostBodyBytes},
                        [this](const HttpRequest& request) { return api_.answer(request); });
  if (!http) return http.error().message;
  http_ = std::move(*http);
  return listen_besides();
}

// Further listeners for clients that may request only health, or only metrics.
std::optional<std::string> Service::listen_besides() {
  if (options_.health_listen) {
    auto health = HttpServer::start(
        {.listen = *options_.health_listen, .threads = 1},
        [this](const HttpRequest& request) { return api_.answer_health(request); });
    if (!health) return health.error().message;
    health_ = std::move(*health);
  }
  if (options_.metrics_listen) {
    auto metrics = HttpServer::start(
        {.listen = *options_.metrics_listen, .threads = 1, .niceness = kNiceness},
        [this](const HttpRequest& request) { return api_.answer_metrics(request); });
    if (!metrics) return metrics.error().message;
    metrics_http_ = std::move(*metrics);
  }
  return std::nullopt;
}

void Service::start_writing_back() {
  const auto* way = std::get_if<ServeCluster>(&way_);
  if (way == nullptr) return;
  status_ = std::make_unique<StatusThread>(
      StatusThread::Options{.observer = observer_,
                            .pool = *way->writes,
                            .log = log_,
                            .objects = way->cluster.watch,
                            .may_write = leads_of(way->cluster.elector),
                            .create_pod_groups = way->create_pod_groups,
                            .node_requests = options_.config.node_requests,
                            .book = {}});
}

void Service::start_cycles() {
  std::unique_ptr<ObjectSource> source =
      std::visit([](auto& way) { return std::move(way.source); }, way_);
  const auto* way = std::get_if<ServeCluster>(&way_);
  auto runner =
      std::make_unique<CycleRunner>(std::move(source), options_.config, Engine::PluginWrapper(),
                                    way != nullptr ? way->sink.get() : nullptr);
  loop_ = std::make_unique<CycleLoop>(
      std::move(runner),
      CycleLoop::Callbacks{
          .finished = [this](std::shared_ptr<const FinishedCycle> cycle,
                             CycleRunner& of) { finished(std::move(cycle), of); },
          .failed = [this](const std::string& why, CycleRunner& of) { failed(why, of); }});
  started_ = true;
}

void Service::failed(const std::string& why, const CycleRunner& runner) {
  metrics_.observe_failed_cycle();
  log_cycle_failure(log_, why);
  std::lock_guard lock(failed_mutex_);
  failed_ = runner.failed();
  failing_ = true;
}

void Service::finished(std::shared_ptr<const FinishedCycle> cycle, CycleRunner& runner) {
  const CycleRecord& record = *cycle->record;
  const Cluster& cluster = runner.engine().cluster();
  if (std::exchange(cluster_number_, cycle->cluster_number) != cycle->cluster_number) {
    tally_ = {};
    cycle_log_.forget();
    log_.event(LogLevel::Info, "cluster rebuilt", {{"cycle", cycle->number}});
  }
  tally_.take(cluster, record);
  metrics_.observe(measure_cycle(*cycle, tally_));
  if (cycle->diagnostics != logged_) {
    log_input(log_, logged_.get(), *cycle->diagnostics);
    logged_ = cycle->diagnostics;
  }
  cycle_log_.take(*cycle, cluster, tally_);
  history_.take(*cycle, cluster, tally_);
  CycleInput input = runner.take_input();
  if (comparison_) comparison_->take(record, input.changes, cluster);
  observer_.publish(cycle, std::move(input));
  if (status_) status_->finished(record, cluster);
  failing_ = false;
  if (observer_.out_of_step()) {
    log_.event(LogLevel::Error, "answers are out of step with cycles; the cluster is rebuilt", {});
    runner.rebuild_cluster();
  }
}

std::string Service::exposition() {
  if (elector() != nullptr) metrics_.set_election({elector()->leads(), elector()->failures()});
  if (comparison_) metrics_.set_comparison(comparison_->figures());
  if (live() != nullptr) {
    metrics_.set_cluster(measure_cluster(*live()->watch));
    metrics_.set_unknown_versions(unknown_versions(*live()->watch));
  }
  if (const auto* way = std::get_if<ServeCluster>(&way_)) {
    metrics_.set_binds(way->sink->take_figures());
  }
  if (status_) metrics_.set_statuses(status_->figures());
  try {
    api_.look([this](CycleView& view) {
      if (measured_cycle_ == view.cycle().number) return;
      measured_cycle_ = view.cycle().number;
      metrics_.set_topology(measure_levels(view));
      metrics_.set_gpus(measure_gpus(view));
      metrics_.set_devices(measure_devices(view));
      metrics_.set_nodes_wanted(measure_nodes_wanted(view));
      metrics_.set_pending_workloads(measure_pending_workloads(view));
    });
  } catch (const std::exception&) {
    metrics_.observe_failed_answer();  // the levels stay those of an earlier cycle
  }
  return metrics_.exposition();
}

void Service::configure(const Config& config) {
  loop_->configure(config);
  if (status_) status_->configure(config.node_requests);
}

bool Service::stop() {
  bool ended = !loop_ || loop_->stop(kPatience);
  // No cycle decides any more: a standby may take the lease.
  if (elector() != nullptr) elector()->release(kReleasePatience);
  if (!ended) return false;
  if (http_) http_->stop();
  if (health_) health_->stop();
  if (metrics_http_) metrics_http_->stop();
  status_.reset();
  return true;
}

}  // namespace trellis
