// The last cycles and what happened in them, in a ring of fixed size: figures of each cycle, and an
// event for each gang and workload that was decided about.
//
// One thread takes cycles; any thread may read. Cost: take() O(decisions of the cycle), and at most
// kEventsOfCycle events of a cycle are kept; memory: at most a few hundred kB.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "framework/time.h"
#include "server/serve/cycle_log.h"
#include "server/serve/finished_cycle.h"
#include "server/view/cycle_tally.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct PastCycle {
  int64_t number = 0;
  TimeUs now = kNoTime;
  int64_t duration_ns = 0;
  int64_t gpus = 0;  // without those that are idle on closed nodes
  int64_t gpus_used = 0;
  int64_t pods_placed = 0;
  int64_t gangs_waiting = 0;
  int64_t workloads_waiting = 0;
  int64_t bound = 0;     // pods
  int64_t promised = 0;  // pods
  int64_t evicted = 0;   // pods
  int64_t workloads_admitted = 0;
  int64_t workloads_evicted = 0;
  int64_t events = 0;  // of the cycle, kept or not
};

struct PastEvent {
  int64_t cycle = 0;
  TimeUs now = kNoTime;
  std::string_view kind;  // "gang" or "workload"
  std::string name;       // "namespace/name"
  std::string_view what;  // "placed", "promised", "evicted", "admitted" ...
  int64_t pods = 0;
  std::string place;  // of a placed gang: `rack b1/r4`; else empty
};

class History {
 public:
  static constexpr size_t kCycles = 1000;
  static constexpr size_t kEvents = 1000;
  static constexpr size_t kEventsOfCycle = 20;

  // REQUIRES: `tally` has taken the cycle's record.
  void take(const FinishedCycle& cycle, const Cluster& cluster, const CycleTally& tally);

  struct Part {
    std::vector<PastCycle> cycles;  // oldest first
    std::vector<PastEvent> events;  // the same
  };
  // Of the cycles after `number`, the last `limit`, and the last `limit` events of all after it.
  Part after(int64_t number, size_t limit) const;

 private:
  // The last `kMost` things, in order.
  template <class T, size_t kMost>
  class Ring {
   public:
    void add(T one) {
      if (items_.size() < kMost) {
        items_.push_back(std::move(one));
      } else {
        items_[next_] = std::move(one);
      }
      next_ = (next_ + 1) % kMost;
    }
    template <class Keep>
    std::vector<T> last(size_t limit, Keep keep) const {
      std::vector<T> found;
      for (size_t i = items_.size(); i-- > 0 && found.size() < limit;) {
        const T& one = items_.size() < kMost ? items_[i] : items_[(next_ + i) % kMost];
        if (!keep(one)) break;
        found.push_back(one);
      }
      return {found.rbegin(), found.rend()};
    }

   private:
    std::vector<T> items_;
    size_t next_ = 0;
  };

  // Of the thread that takes cycles.
  ShownDecisions gangs_;
  ShownDecisions workloads_;
  int64_t cluster_number_ = 0;

  mutable std::mutex mutex_;  // guards the rings
  Ring<PastCycle, kCycles> cycles_;
  Ring<PastEvent, kEvents> events_;
};

}  // namespace trellis
