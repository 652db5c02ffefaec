// Results that several answers about one finished cycle use: computed once a cycle, when first
// requested.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/serve/observer.h"
#include "server/view/gang_summary.h"
#include "server/view/waiting.h"
#include "session/explain/gpu_report.h"
#include "session/explain/topology_report.h"

namespace trellis {

class CycleView {
 public:
  // REQUIRES: each question calls this before anything else.
  void look_at(const Observer::View& view);

  Engine& engine() const { return *engine_; }
  const Cluster& cluster() const { return engine_->cluster(); }
  Session& session() const { return engine_->scheduler().session(); }
  const FinishedCycle& cycle() const { return *cycle_; }
  const CycleRecord& record() const { return *cycle_->record; }
  const SourceTexts& texts() const { return *texts_; }

  const DomainUsage& usage(TopologyId topology);
  const std::vector<PendingClass>& pending();
  const GpuReport& gpus();
  const CycleSummary& summary();
  const WorkloadSummary& workload_summary();
  const WaitingList& waiting();

 private:
  Engine* engine_ = nullptr;
  const FinishedCycle* cycle_ = nullptr;
  const SourceTexts* texts_ = nullptr;
  int64_t number_ = 0;
  IndexedVector<TopologyId, std::optional<DomainUsage>> usage_;
  std::optional<std::vector<PendingClass>> pending_;
  std::optional<GpuReport> gpus_;
  std::optional<CycleSummary> summary_;
  std::optional<WorkloadSummary> workload_summary_;
  std::optional<WaitingList> waiting_;
};

}  // namespace trellis
