// One configuration's cycles in virtual time: gangs come and end, and each moment at which
// something happens is one cycle.
//
// A cycle follows each arrival, end and change of the cluster; one more, a period later, follows a
// cycle that decided something; and one comes when time alone may change the answer. Between two
// cycles nothing is computed. Time passes for pods as between the cycles of `--cycles`
// (server/writeback/between_cycles.h). A gang that has ended leaves the cluster with its pods.
//
// Guarantees: the result depends on the input alone.
// Cost: a cycle for each such moment, and O(log gangs + pods of what changed). Memory: the cluster
// with the gangs that have come and not ended, and the result.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/time.h"
#include "server/document/document.h"
#include "server/document/document_writer.h"
#include "server/engine/engine.h"
#include "server/simulate/gang_source.h"
#include "server/simulate/place_names.h"
#include "server/simulate/simulation_result.h"
#include "server/simulate/timed_objects.h"
#include "session/record/record.h"

namespace trellis {

class Simulation;

// What becomes of a gang that the cycle at its arrival does not place.
enum class Waiting : uint8_t { Stays, Leaves };

struct SimulationOptions {
  Waiting waiting = Waiting::Stays;
  // Of the cluster itself, in order of time. Pods leave a node that is gone, is not ready or has a
  // taint NoExecute; a gang that then lacks its minimum loses its run.
  std::span<const TimedChange> changes = {};
  // Called after each cycle; `done`: gangs that ended or left so far. May be empty.
  std::function<void(const Simulation& simulation, size_t done)> progress = {};
};

class Simulation {
 public:
  // The engine's cluster has everything but the gangs of `source`; both outlive this object.
  Simulation(Engine& engine, const GangSource& source, TimeUs start, SimulationOptions options);

  // From the beginning, or from where it was restored to.
  SimulationResult run();

  // The state after the last cycle, as text (checkpoint.h).
  std::string checkpoint() const;
  // Goes on from there. Returns what is wrong with the text; "": nothing. REQUIRES: the cluster is
  // as at the beginning, and run() was not called; after an error neither may be called.
  std::string restore(std::string_view text);

 private:
  static constexpr uint32_t kBackground = UINT32_MAX;  // in the cluster from the beginning
  static constexpr uint32_t kNoQueue = UINT32_MAX;

  // Of a gang in the cluster.
  struct Present {
    uint32_t number = kBackground;  // in the source
    int64_t held_gpu_milli = 0;
  };
  struct End {
    TimeUs at = 0;
    uint32_t number = 0;
    uint32_t run = 0;
    bool operator>(const End& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };
  // At the pods of a gang.
  struct Look {
    TimeUs now = 0;
    TimeUs since = 0;  // the pods that run have all run
  };
  // Of a gang of the source.
  struct State {
    GangId gang;  // kNone: it is not in the cluster
    TimeUs started = kNoTime;
    TimeUs ends = kNoTime;  // its run; kNoTime: it runs for ever
    uint32_t run = 0;       // how many began
    bool runs = false;
    uint32_t queue = kNoQueue;  // in result_.queues
  };

  void begin();
  std::string fingerprint() const;
  void write_head(DocumentWriter& out) const;
  void restore_head(Value line);
  void restore_line(Value line);
  void restore_gang(Value line);
  TimeUs next_moment() const;
  void advance(TimeUs now);
  void take_ends(TimeUs now);
  void take_changes(TimeUs now);
  void empty_node(NodeId node, TimeUs now);
  void make_wait(PodId pod);
  void take_arrivals(TimeUs now);
  void run_cycle(TimeUs now);
  void look(GangId id, TimeUs now);
  void count_held(GangId id);
  void look_at_run(uint32_t number, bool runs, const Look& look);
  void begin_run(uint32_t number, const Look& look);
  void lose_run(uint32_t number, TimeUs now);
  void remove(uint32_t number);
  void turn_away();
  void keep_use();
  void count(uint32_t number, int64_t more_gpu_milli);
  void measure_cluster();
  void take_samples(TimeUs until);
  void thin_samples();
  Present& present(GangId id);

  Engine& engine_;
  Cluster& cluster_;
  const GangSource& source_;
  TimeUs start_;
  SimulationOptions options_;
  SimulationResult result_;
  PlaceNames places_;
  std::vector<State> states_;
  IndexedVector<GangId, Present> present_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<uint32_t> arrived_now_;
  std::vector<int64_t> queue_used_;
  std::string fingerprint_;  // "": the simulation has not begun
  size_t next_arrival_ = 0;
  size_t next_change_ = 0;
  size_t done_ = 0;
  TimeUs now_ = 0;               // of the last moment
  TimeUs next_cycle_ = kNoTime;  // without any arrival, end or change
  TimeUs next_sample_ = 0;
  TimeUs sample_interval_ = 0;
  int64_t idle_cycles_ = 0;  // in a row, that decided nothing and that nothing had led to
  int64_t all_gpu_milli_ = 0;
  int64_t used_gpu_milli_ = 0;
  int64_t arrived_gpu_milli_ = 0;
  int64_t waiting_ = 0;
  double used_gpu_seconds_ = 0;
  double all_gpu_seconds_ = 0;
};

}  // namespace trellis
