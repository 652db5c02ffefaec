#include "server/serve/cycle_runner.h"

#include <bit>
#include <exception>
#include <utility>

#include "framework/check.h"
#include "server/manifest/reading_settings.h"
#include "server/serve/snapshot_text.h"
#include "server/serve/timed_plugin.h"
#include "server/system/process.h"
#include "server/text/byte_sink.h"

namespace trellis {
namespace {

// There are too many names when they exceed twice their first number by more than this.
constexpr size_t kSpareStrings = 10'000;

}  // namespace

CycleRunner::CycleRunner(std::unique_ptr<ObjectSource> source, const Config& config,
                         Engine::PluginWrapper wrapper, DecisionSink* sink)
    : source_(std::move(source)),
      sink_(sink),
      wrapper_(std::move(wrapper)),
      engine_(make_engine(config)) {
  source_->configure(reading_settings(config));
}

std::unique_ptr<Engine> CycleRunner::make_engine(const Config& config) {
  auto engine = std::make_unique<Engine>(config, [this](std::unique_ptr<Plugin> plugin) {
    if (wrapper_) plugin = wrapper_(std::move(plugin));
    return timed_plugin(std::move(plugin), clock_);
  });
  engine->scheduler().set_probe(&clock_);
  return engine;
}

// False: nothing may be decided now. Once it may, all is read again, with others' decisions.
bool CycleRunner::consult_sink() {
  bool was_active = std::exchange(active_, sink_->active());
  if (!active_) return false;
  Forgotten failed = sink_->failed();
  failed.everything = failed.everything || !was_active;
  if (!failed.empty()) source_->forget(std::move(failed));
  return true;
}

bool CycleRunner::poll() {
  if (sink_ != nullptr && !consult_sink()) return false;
  if (!update_ && is_overgrown() && !rebuild_cluster()) first_strings_ = string_count();
  if (!update_) update_ = source_->poll(engine_->vocabulary());
  return update_.has_value();
}

bool CycleRunner::is_overgrown() const {
  return first_strings_ > 0 && string_count() > 2 * first_strings_ + kSpareStrings;
}

bool CycleRunner::rebuild_cluster() {
  std::unique_ptr<Engine> fresh = make_engine(engine_->config());
  ResourceTable& resources = fresh->vocabulary().resources;
  const ResourceTable& known = engine_->vocabulary().resources;
  for (size_t i = 0; i < known.size(); ++i) resources.intern(known.name(ResourceId(i)));
  std::optional<ObjectDiff> all = source_->read_all(fresh->vocabulary());
  if (!all) return false;
  if (source_->mode() == ExecutionMode::Assume) engine_->assume();
  keep_places(*all, engine_->cluster(), fresh->vocabulary().strings);
  keep_zone_leavers(all->changes.upserts, engine_->cluster());
  fresh->cluster().apply(all->changes);
  fresh->take_notes(*engine_);
  // The pods are those that the old cluster has counted: what comes from here on is new. After a
  // failure some are not counted yet, and a session may fail again.
  if (failure_.empty()) fresh->scheduler().open(record_ ? record_->now : 0);
  engine_ = std::move(fresh);
  input_.rebuilt = true;
  input_.strings.clear();
  input_.resources.clear();
  input_.changes.clear();
  input_.changes.push_back(std::move(all->changes));
  has_input_ = true;
  strings_ = 0;
  resources_ = 0;
  first_strings_ = 0;
  record_ = nullptr;
  ++cluster_number_;
  release_free_memory();
  return true;
}

void CycleRunner::configure(const Config& config) {
  source_->configure(reading_settings(config));
  config_ = config;
}

void CycleRunner::take_config() {
  if (!config_) return;
  engine_->configure(*config_);
  engine_->scheduler().set_probe(&clock_);
  input_.config = std::move(config_);
  config_.reset();
  has_input_ = true;
}

// The source reports a change only once, so it is recorded whatever happens to the cycle.
SourceUpdate CycleRunner::note_update() {
  SourceUpdate update = *std::exchange(update_, std::nullopt);
  diagnostics_ = std::move(update.diagnostics);
  has_input_ = true;
  texts_.apply(update.texts);
  input_.texts.push_back(std::move(update.texts));
  bool is_news = sink_ != nullptr && !update.diff.empty();
  if (is_news) sink_->seen(update.diff.changes, engine_->vocabulary().strings);
  return update;
}

bool CycleRunner::take_update() {
  if (!update_) return false;
  SourceUpdate update = note_update();
  if (update.diff.empty()) return false;
  keep_places(update.diff, engine_->cluster(), engine_->vocabulary().strings);
  engine_->cluster().apply(update.diff.changes);
  input_.changes.push_back(std::move(update.diff.changes));
  return true;
}

// Keeps the exact input, once for each cause: it is as large as the cluster.
void CycleRunner::keep_failed(TimeUs now) {
  if (failed_ && failed_->why == failure_) return;
  auto failed = std::make_shared<FailedCycle>(FailedCycle{failure_, now, ""});
  try {
    StringSink sink;
    if (!in_doubt_) write_snapshot(sink, *engine_, now, texts_);
    failed->snapshot = sink.text();
  } catch (const std::exception&) {
    failed->snapshot.clear();
  }
  failed_ = std::move(failed);
}

// False: the cluster cannot be rebuilt.
bool CycleRunner::mend() {
  try {
    if (update_) note_update();  // it is part of what is read again
    return rebuild_cluster();
  } catch (const std::exception& failure) {
    failure_ += std::string("; nor can the cluster be rebuilt: ") + failure.what();
    return false;
  }
}

void CycleRunner::fail(const std::string& why, TimeUs now, bool broken) {
  failure_ = why;
  keep_failed(now);
  // A check that breaks each time rebuilds the cluster only at its 1st, 2nd, 4th, 8th ... failure.
  bool rebuild = in_doubt_ || (broken && std::has_single_bit(++failures_));
  if (rebuild && mend()) {
    in_doubt_ = false;
    return;
  }
  engine_->configure(config());
  engine_->scheduler().set_probe(&clock_);
}

std::shared_ptr<const FinishedCycle> CycleRunner::run_cycle(TimeUs now) {
  if (in_doubt_) require(mend(), "a cluster that was written to in part is rebuilt");
  take_config();
  input_.mode = source_->mode();
  in_doubt_ = true;
  if (input_.mode == ExecutionMode::Simulate) engine_->pass_time();
  if (input_.mode == ExecutionMode::Assume) engine_->assume();
  take_update();
  in_doubt_ = false;
  clock_.begin();
  std::shared_ptr<const CycleRecord> record = engine_->run(now, 1);
  CycleTimes times = clock_.end();
  if (record == record_ && !has_input_) return nullptr;
  return finish(std::move(record), std::move(times));
}

std::shared_ptr<const FinishedCycle> CycleRunner::run(TimeUs now) {
  failure_.clear();
  try {
    std::shared_ptr<const FinishedCycle> finished = run_cycle(now);
    failures_ = 0;
    return finished;
  } catch (const BrokenCheck& broken) {
    fail(broken.what(), now, true);
  } catch (const std::exception& failure) {
    fail(failure.what(), now, false);
  }
  return nullptr;
}

std::shared_ptr<const FinishedCycle> CycleRunner::finish(std::shared_ptr<const CycleRecord> record,
                                                         CycleTimes times) {
  if (sink_ != nullptr && record != record_) sink_->take(*record, engine_->cluster());
  record_ = record;
  auto finished = std::make_shared<FinishedCycle>();
  const Vocabulary& vocabulary = engine_->vocabulary();
  for (; strings_ < vocabulary.strings.size(); ++strings_) {
    input_.strings.emplace_back(vocabulary.strings.view(StrId(strings_)));
  }
  for (; resources_ < vocabulary.resources.size(); ++resources_) {
    input_.resources.push_back(vocabulary.resources.name(ResourceId(resources_)));
  }
  input_.string_count = strings_;
  if (first_strings_ == 0) first_strings_ = strings_;
  finished->number = ++number_;
  finished->cluster_number = cluster_number_;
  finished_input_ = std::exchange(input_, CycleInput());
  finished->files_read = source_->files_read() - files_read_;
  files_read_ = source_->files_read();
  has_input_ = false;
  finished->record = std::move(record);
  finished->times = std::move(times);
  finished->diagnostics = diagnostics_;
  return finished;
}

}  // namespace trellis
