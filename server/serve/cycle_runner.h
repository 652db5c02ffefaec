// The embedded cluster: takes what its source says, runs a cycle, and lets the decisions come true
// where nothing else does. One thread at a time.
//
// Guarantees: a cycle that fails (by an exception, such as a broken check) carries out nothing; the
// service goes on, and the next cycle is decided with nothing that this one left behind: by another
// scheduler, and where a check broke, in a rebuilt cluster.
//
// A vocabulary never forgets a name, and a cluster no class of pods. Once most of the names may be
// of what is long gone, the cluster is rebuilt, where its source can be read again: everything as
// it stands, in another vocabulary. Cost: a reading of everything, and applying it; so seldom that
// it costs less than what made the names.
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
  // `wrapper`: as Engine's; what it gives is timed. `sink` outlives this; null: nothing carries
  // decisions out.
  CycleRunner(std::unique_ptr<ObjectSource> source, const Config& config,
              Engine::PluginWrapper wrapper = {}, DecisionSink* sink = nullptr);

  // As the source's.
  std::shared_ptr<Bell> bell() { return source_->bell(); }
  // Looks at the source. True: there is something for a cycle to look at.
  bool poll();
  // Rebuilds now, as poll() does once names are too many. False: the source cannot be read again.
  // REQUIRES: what the last poll() found was run.
  bool rebuild_cluster();
  // False: not all is read yet, or it is not for us to decide, and no cycle may run.
  bool ready() const { return (sink_ == nullptr || active_) && source_->ready(); }
  // A cycle on the cluster as it stands, after time passed for its pods. Null: nothing changed, so
  // that the last one still stands; or it failed, and failure() says why.
  std::shared_ptr<const FinishedCycle> run(TimeUs now);
  const std::string& failure() const { return failure_; }  // of the last run; empty: none
  // The last cycle that failed for a reason of its own; null: none did.
  std::shared_ptr<const FailedCycle> failed() const { return failed_; }
  // What the cycle that has just finished found changed: to be taken once.
  CycleInput take_input() { return std::move(finished_input_); }

  // From the next cycle on.
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
  size_t strings_ = 0;      // of the vocabulary, handed over
  size_t resources_ = 0;    // likewise
  int64_t files_read_ = 0;  // told
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
