// The embedded cluster: applies the changes of its source, runs a cycle, and carries out the
// decisions where nothing else does. One thread at a time.
//
// Guarantees: of a cycle that fails (by an exception, such as a broken check) nothing is carried
// out; the service goes on, and the next cycle uses nothing that this one left behind: another
// scheduler decides it. A broken check also rebuilds the cluster, at its 1st, 2nd, 4th, 8th ...
// failure in a row; a cluster that was written to in part is rebuilt before the next cycle.
//
// A vocabulary never forgets a name, and a cluster never forgets a pod class. Once most of the
// names may be of objects that are long gone, the cluster is rebuilt, where its source can be read
// again: from all current objects, with another vocabulary. Cost: a reading of everything, and
// applying it; this is so rare that it costs less than what made the names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "framework/config.h"
#include "server/engine/engine.h"
#include "server/serve/cycle_times.h"
#include "server/serve/decision_sink.h"
#include "server/serve/failed_cycle.h"
#include "server/serve/finished_cycle.h"
#include "server/sources/object_source.h"
#include "server/sources/source_texts.h"

namespace trellis {

class CycleRunner {
 public:
  // `wrapper`: as Engine's; the plugins that it returns are timed. `sink` outlives this object;
  // null: nothing carries decisions out.
  CycleRunner(std::unique_ptr<ObjectSource> source, const Config& config,
              Engine::PluginWrapper wrapper = {}, DecisionSink* sink = nullptr);

  // The source's bell.
  std::shared_ptr<Bell> bell() { return source_->bell(); }
  // Polls the source. True: there are changes for a cycle to take.
  bool poll();
  // Rebuilds the cluster now, as poll() does once there are too many names. False: the source
  // cannot be read again. REQUIRES: run() has taken what the last poll() found.
  bool rebuild_cluster();
  // False: no cycle may run, since not all is read yet, or this service may not decide.
  bool ready() const { return (sink_ == nullptr || active_) && source_->ready(); }
  // Runs a cycle on the current cluster, after time passed for its pods. Null: nothing changed, so
  // that the last cycle is still valid; or the cycle failed, and failure() has the cause.
  std::shared_ptr<const FinishedCycle> run(TimeUs now);
  const std::string& failure() const { return failure_; }  // of the last run; empty: none
  // The last cycle that failed, of several in a row with one cause the first; null: none failed.
  std::shared_ptr<const FailedCycle> failed() const { return failed_; }
  // The changes that the cycle that has just finished found. They can be taken once.
  CycleInput take_input() { return std::move(finished_input_); }

  // Takes effect from the next cycle on.
  void configure(const Config& config);
  const Config& config() const { return engine_->config(); }
  const Engine& engine() const { return *engine_; }

 private:
  std::unique_ptr<Engine> make_engine(const Config& config);
  bool consult_sink();
  size_t string_count() const { return engine_->vocabulary().strings.size(); }
  bool is_overgrown() const;
  void take_config();
  SourceUpdate note_update();
  bool take_update();
  std::shared_ptr<const FinishedCycle> run_cycle(TimeUs now);
  void fail(const std::string& why, TimeUs now, bool broken);
  void keep_failed(TimeUs now);
  bool mend();
  std::shared_ptr<const FinishedCycle> finish(std::shared_ptr<const CycleRecord> record,
                                              CycleTimes times);

  CycleClock clock_;
  std::unique_ptr<ObjectSource> source_;
  DecisionSink* sink_;
  Engine::PluginWrapper wrapper_;
  bool active_ = false;  // the sink was, at the last poll
  std::unique_ptr<Engine> engine_;
  std::optional<SourceUpdate> update_;  // polled, and not applied yet
  std::optional<Config> config_;        // set, and not taken yet
  CycleInput input_;                    // applied, and not part of a finished cycle yet
  CycleInput finished_input_;
  bool has_input_ = false;
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics_;
  std::shared_ptr<const CycleRecord> record_;
  size_t strings_ = 0;      // of the vocabulary, handed over with finished cycles
  size_t resources_ = 0;    // of the vocabulary, handed over with finished cycles
  int64_t files_read_ = 0;  // reported with finished cycles
  std::string failure_;
  std::shared_ptr<const FailedCycle> failed_;
  uint64_t failures_ = 0;  // in a row
  bool in_doubt_ = false;  // the cluster is being written to
  SourceTexts texts_;      // that the cluster is read from
  int64_t number_ = 0;
  int64_t cluster_number_ = 1;
  size_t first_strings_ = 0;  // of the vocabulary, when the cluster's first cycle had finished
};

}  // namespace trellis
