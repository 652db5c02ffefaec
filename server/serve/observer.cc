#include "server/serve/observer.h"

#include <exception>
#include <utility>

#include "framework/check.h"
#include "server/system/process.h"

namespace trellis {
namespace {

// Reading so many pods, at once or one by one, leaves free memory that nothing uses.
constexpr size_t kManyPods = 4000;

}  // namespace

Observer::Observer(const Config& config, Engine::PluginWrapper wrapper)
    : wrapper_(std::move(wrapper)),
      engine_(std::make_unique<Engine>(config, wrapper_)),
      follower_([this](const std::stop_token& stop) { follow(stop); }) {}

Observer::~Observer() {
  follower_.request_stop();
  queued_.notify_all();
}

void Observer::publish(std::shared_ptr<const FinishedCycle> cycle, CycleInput input) {
  {
    std::lock_guard lock(queue_mutex_);
    last_number_ = cycle->number;
    queue_.push_back({std::move(cycle), std::move(input)});
  }
  queued_.notify_one();
}

int64_t Observer::last_number() const {
  std::lock_guard lock(queue_mutex_);
  return last_number_;
}

// Keeps the queue short while no question comes, and prepares the session for the next question.
void Observer::follow(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(queue_mutex_);
      if (!queued_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
    }
    std::lock_guard lock(engine_mutex_);
    catch_up();
    if (out_of_step_) continue;
    try {
      engine_->scheduler().session();
    } catch (const std::exception&) {
      renew_scheduler();  // a question is answered with the failure
    }
    if (pods_read_ < kManyPods) continue;
    pods_read_ = 0;
    release_free_memory();
  }
}

void Observer::catch_up() {
  while (true) {
    Published next;
    {
      std::lock_guard lock(queue_mutex_);
      if (queue_.empty()) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    for (TextChanges& changes : next.input.texts) texts_.apply(std::move(changes));
    try {
      if (out_of_step_ && !next.input.rebuilt) {
        if (next.input.config) engine_->configure(*next.input.config);
        continue;
      }
      take(std::move(next));
      out_of_step_ = false;
    } catch (const std::exception&) {
      out_of_step_ = true;
    }
  }
}

// A question that failed may have left wrong data in caches.
void Observer::renew_scheduler() {
  try {
    engine_->configure(engine_->config());
    engine_->adopt(cycle_->record);
  } catch (const std::exception&) {
    out_of_step_ = true;
  }
}

void Observer::take(Published published) {
  CycleInput& input = published.input;
  std::unique_ptr<Engine> former;
  if (input.rebuilt) {
    former = std::exchange(engine_, std::make_unique<Engine>(engine_->config(), wrapper_));
    pods_read_ = kManyPods;
  }
  Vocabulary& vocabulary = engine_->vocabulary();
  for (const std::string& text : input.strings) vocabulary.strings.intern(text);
  for (const std::string& name : input.resources) vocabulary.resources.intern(name);
  if (input.config) engine_->configure(*input.config);
  if (input.mode == ExecutionMode::Simulate) engine_->pass_time();
  if (input.mode == ExecutionMode::Assume) engine_->assume();
  for (ObjectChanges& changes : input.changes) {
    pods_read_ += changes.upserts.pods.size();
    engine_->cluster().apply(std::move(changes));
  }
  if (former) engine_->take_notes(*former);
  require(vocabulary.strings.size() == input.string_count,
          "the observer has the vocabulary of the cycles");
  cycle_ = std::move(published.cycle);
  touched_.add(*cycle_->record);
  engine_->adopt(cycle_->record);
}

bool Observer::ask(const std::function<void(View)>& question) {
  return ask_what_changed([&](View view, TouchedSince&) { question(view); });
}

bool Observer::ask_what_changed(const std::function<void(View, TouchedSince&)>& question) {
  std::lock_guard lock(engine_mutex_);
  catch_up();
  if (!cycle_ || out_of_step_) return false;
  try {
    question({*engine_, *cycle_, texts_}, touched_);
  } catch (const std::exception&) {
    renew_scheduler();
    throw;
  }
  return true;
}

}  // namespace trellis
