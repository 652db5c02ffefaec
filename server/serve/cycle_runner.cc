#include "server/serve/cycle_runner.h"

#include <exception>
#include <utility>

#include "server/process_memory.h"
#include "server/serve/timed_plugin.h"

namespace trellis {
namespace {

// Names that are too many: as many as there were at first, and so many more.
constexpr size_t kSpareStrings = 10'000;

Zones zones_for(const Config& config) {
  return config.plugin("numa").enabled ? Zones::Read : Zones::Ignored;
}

}  // namespace

CycleRunner::CycleRunner(std::unique_ptr<ObjectSource> source, const Config& config,
                         Engine::PluginWrapper wrapper, DecisionSink* sink)
    : source_(std::move(source)),
      sink_(sink),
      wrapper_(std::move(wrapper)),
      engine_(make_engine(config)) {
  source_->set_scheduler_names(config.scheduler_names);
  source_->set_zones(zones_for(config));
}

std::unique_ptr<Engine> CycleRunner::make_engine(const Config& config) {
  auto engine = std::make_unique<Engine>(config, [this](std::unique_ptr<Plugin> plugin) {
    if (wrapper_) plugin = wrapper_(std::move(plugin));
    return timed_plugin(std::move(plugin), clock_);
  });
  engine->scheduler().set_probe(&clock_);
  return engine;
}

// False: nothing may be decided now. What others decided meanwhile counts from then on.
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
  if (!update_ && is_overgrown() && !begin_anew()) first_strings_ = string_count();
  if (!update_) update_ = source_->poll(engine_->vocabulary());
  return update_.has_value();
}

bool CycleRunner::is_overgrown() const {
  return first_strings_ > 0 && string_count() > 2 * first_strings_ + kSpareStrings;
}

bool CycleRunner::begin_anew() {
  std::unique_ptr<Engine> fresh = make_engine(engine_->config());
  ResourceTable& resources = fresh->vocabulary().resources;
  const ResourceTable& known = engine_->vocabulary().resources;
  for (size_t i = 0; i < known.size(); ++i) resources.intern(known.name(ResourceId(i)));
  std::optional<ObjectDiff> all = source_->read_anew(fresh->vocabulary());
  if (!all) return false;
  if (source_->decisions() == Decisions::AreAssumed) engine_->assume();
  keep_places(*all, engine_->cluster(), fresh->vocabulary().strings);
  fresh->cluster().apply(all->changes);
  fresh->take_notes(*engine_);
  engine_ = std::move(fresh);
  input_.anew = true;
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
  source_->set_scheduler_names(config.scheduler_names);
  source_->set_zones(zones_for(config));
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

bool CycleRunner::take_update() {
  if (!update_) return false;
  SourceUpdate update = *std::exchange(update_, std::nullopt);
  diagnostics_ = std::move(update.diagnostics);
  has_input_ = true;
  input_.texts.push_back(std::move(update.texts));
  if (update.diff.empty()) return false;
  if (sink_ != nullptr) sink_->seen(update.diff.changes, engine_->vocabulary().strings);
  keep_places(update.diff, engine_->cluster(), engine_->vocabulary().strings);
  requeue(update.diff.changes.upserts, config().requeuing.timestamp);
  engine_->cluster().apply(update.diff.changes);
  input_.changes.push_back(std::move(update.diff.changes));
  return true;
}

std::shared_ptr<const CycleRecord> CycleRunner::run_cycle(TimeUs now) {
  failure_.clear();
  try {
    return engine_->run(now, 1);
  } catch (const std::exception& failure) {
    failure_ = failure.what();
    // What it left behind in caches is not to be trusted.
    engine_->configure(config());
    engine_->scheduler().set_probe(&clock_);
    return nullptr;
  }
}

std::shared_ptr<const FinishedCycle> CycleRunner::run(TimeUs now) {
  take_config();
  input_.decisions = source_->decisions();
  if (input_.decisions == Decisions::ComeTrue) engine_->pass_time();
  if (input_.decisions == Decisions::AreAssumed) engine_->assume();
  take_update();
  clock_.begin();
  std::shared_ptr<const CycleRecord> record = run_cycle(now);
  CycleTimes times = clock_.end();
  if (!record || (record == record_ && !has_input_)) return nullptr;
  return finish(std::move(record), std::move(times));
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
