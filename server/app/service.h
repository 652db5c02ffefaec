// `trellis serve`: runs cycles on the objects of a source, and answers questions about them over
// HTTP.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "framework/config.h"
#include "framework/result.h"
#include "server/app/way_to_serve.h"
#include "server/debug/debug_api.h"
#include "server/http/http_server.h"
#include "server/http/listen_address.h"
#include "server/kube/status/status_thread.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/serve/cycle_log.h"
#include "server/serve/cycle_loop.h"
#include "server/serve/dry_run_comparison.h"
#include "server/serve/failed_cycle.h"
#include "server/serve/history.h"
#include "server/serve/observer.h"
#include "server/view/cycle_tally.h"

namespace trellis {

struct ServiceOptions {
  Config config;
  ListenAddress listen;
  std::optional<ListenAddress> health_listen;   // none: health is answered at `listen`
  std::optional<ListenAddress> metrics_listen;  // none: metrics are answered at `listen`
};

class Service {
 public:
  // Listens, then starts the cycles. `log` must outlive the service.
  static Result<std::unique_ptr<Service>> start(WayToServe way, ServiceOptions options, Log& log);
  ~Service();

  void configure(const Config& config);

  // Returns within a second. False: a cycle is still running, so that the caller should end the
  // process at once.
  bool stop();

  std::string url() const { return http_->url(); }
  std::string health_url() const { return health_ ? health_->url() : url(); }
  std::string metrics_url() const { return metrics_http_ ? metrics_http_->url() : url(); }

 private:
  Service(WayToServe way, ServiceOptions options, Log& log);
  const LiveCluster* live() const;  // null: the service runs on files
  Elector* elector() const;         // null: the service takes part in no election
  std::optional<std::string> listen();
  std::optional<std::string> listen_besides();
  void start_cycles();
  void start_writing_back();
  void finished(std::shared_ptr<const FinishedCycle> cycle, CycleRunner& runner);
  void failed(const std::string& why, const CycleRunner& runner);
  DebugApi::Sources sources();
  std::string exposition();

  WayToServe way_;  // without its source once cycles run
  ServiceOptions options_;
  Log& log_;
  Metrics metrics_;
  int64_t cluster_number_ = 1;  // of the cluster that tally_ and cycle_log_ are about
  CycleTally tally_;
  std::atomic<bool> started_ = false;
  std::atomic<bool> failing_ = false;  // the last cycle failed
  std::mutex failed_mutex_;
  std::shared_ptr<const FailedCycle> failed_;     // guarded by failed_mutex_
  std::unique_ptr<DryRunComparison> comparison_;  // null: decisions are carried out
  CycleLog cycle_log_;
  History history_;
  Observer observer_;
  DebugApi api_;
  // The cycle whose levels the metrics show; used only while the observer answers.
  int64_t measured_cycle_ = 0;
  std::shared_ptr<const std::vector<Diagnostic>> logged_;  // diagnostics that are logged already
  std::unique_ptr<StatusThread> status_;                   // null: no status is written back
  std::unique_ptr<CycleLoop> loop_;
  std::unique_ptr<HttpServer> health_;
  std::unique_ptr<HttpServer> metrics_http_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace trellis
