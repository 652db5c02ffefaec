// The outcome of every workload in a cycle.
//
// Words: the *state* of a workload follows from its record alone: its status, and the workload
// class in which it waits or what bars it from admission. Its *outcome* is what the cycle has
// decided about it or the reasons that were set for it; else the reasons of its whole class; else
// those of its state. Guarantees: outcomes are immutable once a record holds them, however the
// states change. Cost: outcomes of a cycle O(states that changed + workloads with a decision or
// reasons of their own), and a pointer for every 128 workloads.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/decision.h"
#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/reason.h"
#include "framework/workload.h"

namespace trellis {

// Workloads of one queue that request the same (session/snapshot/workload_classes.h).
using WorkloadClassId = StrongId<struct WorkloadClassTag>;

// Many workloads share them; null: none.
using SharedReasons = std::shared_ptr<const std::vector<Reason>>;

enum class WorkloadStatus : uint8_t {
  Pending,   // waits, or is barred from admission
  Reserved,  // holds quota, and waits for its topology
  Admitted,
  Evicted,  // was evicted in this cycle
  Finished,
};

std::string_view to_string(WorkloadStatus status);  // Kueue's names

struct WorkloadOutcome {
  WorkloadStatus status = WorkloadStatus::Pending;
  SharedReasons reasons = {};
  std::shared_ptr<const Admission> admission = {};  // made or changed here; null: as recorded
  std::shared_ptr<const Admission> promised = {};   // kept until others have left; null: nothing
  Beneficiary moved_for = {};                       // if it was moved in this cycle
};

struct WorkloadState {
  WorkloadStatus status = WorkloadStatus::Pending;
  WorkloadClassId waits_in;  // kNone: in no class
  SharedReasons reasons;     // what bars it from admission
};

class WorkloadStates {
 public:
  static constexpr size_t kChunk = 128;
  using Chunk = std::array<WorkloadState, kChunk>;
  using Chunks = std::vector<std::shared_ptr<const Chunk>>;

  size_t size() const { return size_; }
  void resize(size_t workloads);
  void set(WorkloadId id, WorkloadState state);
  const WorkloadState& operator[](WorkloadId id) const {
    return chunks_[id.value / kChunk][id.value % kChunk];
  }
  // The states as they are now. Chunks that did not change are shared with the last call.
  const Chunks& share() const;

 private:
  size_t size_ = 0;
  std::vector<Chunk> chunks_;
  mutable Chunks shared_;  // null: changed since
};

using ClassReasons = IndexedVector<WorkloadClassId, SharedReasons>;

class WorkloadOutcomes {
 public:
  WorkloadOutcomes() = default;
  WorkloadOutcomes(const WorkloadStates& states, ClassReasons classes)
      : size_(states.size()), chunks_(states.share()), classes_(std::move(classes)) {}

  size_t size() const { return size_; }
  WorkloadOutcome operator[](WorkloadId id) const;
  // The outcome, for writing; begins as the state, without the reasons of its class.
  WorkloadOutcome& own(WorkloadId id);

 private:
  const WorkloadState& state(WorkloadId id) const {
    return (*chunks_[id.value / WorkloadStates::kChunk])[id.value % WorkloadStates::kChunk];
  }

  size_t size_ = 0;
  WorkloadStates::Chunks chunks_;
  ClassReasons classes_;
  absl::flat_hash_map<uint32_t, WorkloadOutcome> own_;  // by workload; never iterated
};

}  // namespace trellis
