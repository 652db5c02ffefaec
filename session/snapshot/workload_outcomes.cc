#include "session/snapshot/workload_outcomes.h"

namespace trellis {

void WorkloadStates::resize(size_t workloads) {
  if (workloads <= size_) return;
  size_ = workloads;
  chunks_.resize((workloads + kChunk - 1) / kChunk);
  shared_.resize(chunks_.size());
}

void WorkloadStates::set(WorkloadId id, WorkloadState state) {
  chunks_[id.value / kChunk][id.value % kChunk] = std::move(state);
  shared_[id.value / kChunk] = nullptr;
}

const WorkloadStates::Chunks& WorkloadStates::share() const {
  for (size_t i = 0; i < chunks_.size(); ++i) {
    if (shared_[i] == nullptr) shared_[i] = std::make_shared<const Chunk>(chunks_[i]);
  }
  return shared_;
}

WorkloadOutcome WorkloadOutcomes::operator[](WorkloadId id) const {
  auto found = own_.find(id.value);
  if (found != own_.end()) return found->second;
  const WorkloadState& known = state(id);
  bool of_class = known.waits_in.valid() && classes_.contains(known.waits_in);
  return {known.status, of_class ? classes_[known.waits_in] : known.reasons};
}

WorkloadOutcome& WorkloadOutcomes::own(WorkloadId id) {
  auto [at, fresh] = own_.try_emplace(id.value);
  if (fresh) at->second = {state(id).status, state(id).reasons};
  return at->second;
}

}  // namespace trellis
