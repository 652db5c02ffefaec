#include "session/snapshot/workload_outcomes.h"

namespace trellis {

void WorkloadStandings::resize(size_t workloads) {
  if (workloads <= size_) return;
  size_ = workloads;
  chunks_.resize((workloads + kChunk - 1) / kChunk);
  shared_.resize(chunks_.size());
}

void WorkloadStandings::set(WorkloadId id, WorkloadStanding standing) {
  chunks_[id.value / kChunk][id.value % kChunk] = std::move(standing);
  shared_[id.value / kChunk] = nullptr;
}

const WorkloadStandings::Chunks& WorkloadStandings::share() const {
  for (size_t i = 0; i < chunks_.size(); ++i) {
    if (shared_[i] == nullptr) shared_[i] = std::make_shared<const Chunk>(chunks_[i]);
  }
  return shared_;
}

WorkloadOutcome WorkloadOutcomes::operator[](WorkloadId id) const {
  auto found = own_.find(id.value);
  if (found != own_.end()) return found->second;
  const WorkloadStanding& known = standing(id);
  bool told = known.line.valid() && lines_.contains(known.line);
  return {known.status, nullptr, told ? lines_[known.line] : known.reasons};
}

WorkloadOutcome& WorkloadOutcomes::own(WorkloadId id) {
  auto [at, fresh] = own_.try_emplace(id.value);
  if (fresh) at->second = {standing(id).status, nullptr, standing(id).reasons};
  return at->second;
}

}  // namespace trellis
