#include "server/debug/cycle_view.h"

namespace trellis {
namespace {

constexpr size_t kLongestWaiting = 10;

}  // namespace

void CycleView::look_at(const Observer::View& view) {
  engine_ = &view.engine;
  cycle_ = &view.cycle;
  texts_ = &view.texts;
  if (number_ == view.cycle.number) return;
  number_ = view.cycle.number;
  usage_.clear();
  pending_.reset();
  gpus_.reset();
  summary_.reset();
  workload_summary_.reset();
  waiting_.reset();
}

const DomainUsage& CycleView::usage(TopologyId topology) {
  if (!usage_.contains(topology)) usage_.resize(cluster().topologies().size());
  std::optional<DomainUsage>& usage = usage_[topology];
  if (!usage) usage = measure_usage(session(), topology);
  return *usage;
}

const std::vector<PendingClass>& CycleView::pending() {
  if (!pending_) pending_ = pending_classes(session());
  return *pending_;
}

const GpuReport& CycleView::gpus() {
  if (!gpus_) gpus_ = report_gpus(session());
  return *gpus_;
}

const CycleSummary& CycleView::summary() {
  if (!summary_) summary_ = summarize(cluster(), record());
  return *summary_;
}

const WorkloadSummary& CycleView::workload_summary() {
  if (!workload_summary_) workload_summary_ = summarize_workloads(cluster(), record());
  return *workload_summary_;
}

const WaitingList& CycleView::waiting() {
  if (!waiting_) waiting_ = list_waiting(cluster(), record(), kLongestWaiting);
  return *waiting_;
}

}  // namespace trellis
