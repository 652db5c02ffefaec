// The outcome of every workload in a cycle.
//
// Words: the *standing* of a workload follows from its record alone: its status, and the line that
// it waits in or why it is in none. Its *outcome* is what the cycle has decided about it or the
// reasons that were set for it; else the reasons of its whole line; else its standing.
// Guarantees: outcomes are immutable once a record holds them, however the standings change.
// Cost: outcomes of a cycle O(standings that changed + workloads with a decision or reasons of
// their own), and a pointer for every 128 workloads.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/reason.h"
#include "framework/workload.h"

namespace trellis {

// Workloads of one queue that request the same (session/snapshot/workload_lines.h).
using WorkloadLineId = StrongId<struct WorkloadLineTag>;

// Many workloads share them; null: none.
using SharedReasons = std::shared_ptr<const std::vector<Reason>>;

enum class WorkloadStatus : uint8_t {
  Pending,   // waits, or is in no line
  Reserved,  // holds quota, and waits for its topology
  Admitted,
  Evicted,  // was evicted in this cycle
  Finished,
};

std::string_view to_string(WorkloadStatus status);  // Kueue's names

struct WorkloadOutcome {
  WorkloadStatus status = WorkloadStatus::Pending;
  std::shared_ptr<const Admission> admission;  // made or changed in this cycle; null: as recorded
  SharedReasons reasons;
};

struct WorkloadStanding {
  WorkloadStatus status = WorkloadStatus::Pending;
  WorkloadLineId line;    // kNone: the workload is in no line
  SharedReasons reasons;  // why it is in no line, though it waits
};

class WorkloadStandings {
 public:
  static constexpr size_t kChunk = 128;
  using Chunk = std::array<WorkloadStanding, kChunk>;
  using Chunks = std::vector<std::shared_ptr<const Chunk>>;

  size_t size() const { return size_; }
  void resize(size_t workloads);
  void set(WorkloadId id, WorkloadStanding standing);
  const WorkloadStanding& operator[](WorkloadId id) const {
    return chunks_[id.value / kChunk][id.value % kChunk];
  }
  // The standings as they are now. Chunks that did not change are shared with the last call.
  const Chunks& share() const;

 private:
  size_t size_ = 0;
  std::vector<Chunk> chunks_;
  mutable Chunks shared_;  // null: changed since
};

using LineReasons = IndexedVector<WorkloadLineId, SharedReasons>;

class WorkloadOutcomes {
 public:
  WorkloadOutcomes() = default;
  WorkloadOutcomes(const WorkloadStandings& standings, LineReasons lines)
      : size_(standings.size()), chunks_(standings.share()), lines_(std::move(lines)) {}

  size_t size() const { return size_; }
  WorkloadOutcome operator[](WorkloadId id) const;
  // The outcome, for writing; begins as the standing, without the reasons of its line.
  WorkloadOutcome& own(WorkloadId id);

 private:
  const WorkloadStanding& standing(WorkloadId id) const {
    return (*chunks_[id.value / WorkloadStandings::kChunk])[id.value % WorkloadStandings::kChunk];
  }

  size_t size_ = 0;
  WorkloadStandings::Chunks chunks_;
  LineReasons lines_;
  absl::flat_hash_map<uint32_t, WorkloadOutcome> own_;  // by workload; never iterated
};

}  // namespace trellis
