#include "server/serve/cycle_loop.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "server/system/clock.h"

namespace trellis {
namespace {

constexpr int64_t kNsPerUs = 1000;
constexpr int64_t kPollNs = 100'000'000;
// The least time between the beginnings of two cycles, so that many changes are taken in batches.
constexpr int64_t kBatchNs = 5'000'000;
// The longest time without a turn: reading a very large input may take a while.
constexpr int64_t kSilenceNs = 120'000'000'000;

std::shared_ptr<Bell> bell_of(CycleRunner& runner) {
  std::shared_ptr<Bell> bell = runner.bell();
  return bell ? bell : std::make_shared<Bell>();
}

}  // namespace

CycleLoop::CycleLoop(std::unique_ptr<CycleRunner> runner, Callbacks callbacks)
    : runner_(std::move(runner)),
      callbacks_(std::move(callbacks)),
      bell_(bell_of(*runner_)),
      heartbeat_ns_(steady_ns()),
      period_ns_(runner_->config().period_us * kNsPerUs),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

CycleLoop::~CycleLoop() = default;

void CycleLoop::configure(const Config& config) {
  {
    std::lock_guard lock(mutex_);
    config_ = config;
  }
  bell_->ring();
}

bool CycleLoop::take_config() {
  std::lock_guard lock(mutex_);
  if (!config_) return false;
  runner_->configure(*config_);
  period_ns_ = config_->period_us * kNsPerUs;
  config_.reset();
  return true;
}

bool CycleLoop::healthy() const {
  return steady_ns() - heartbeat_ns_ < kSilenceNs + 2 * period_ns_;
}

void CycleLoop::turn(int64_t& next_tick_ns) {
  heartbeat_ns_ = steady_ns();
  bool configured = take_config();
  bool changed = runner_->poll();
  if (!runner_->ready()) {
    next_tick_ns = steady_ns() + kPollNs;
    return;
  }
  if (!configured && !changed && steady_ns() < next_tick_ns) return;
  std::shared_ptr<const FinishedCycle> cycle = runner_->run(wall_us());
  next_tick_ns = steady_ns() + period_ns_;
  if (cycle) {
    callbacks_.finished(std::move(cycle), *runner_);
  } else if (!runner_->failure().empty()) {
    callbacks_.failed(runner_->failure(), *runner_);
  }
}

void CycleLoop::run(const std::stop_token& stop) {
  int64_t next_tick_ns = steady_ns();
  while (!stop.stop_requested()) {
    int64_t begin_ns = steady_ns();
    try {
      turn(next_tick_ns);
    } catch (const std::exception& failure) {
      next_tick_ns = steady_ns() + period_ns_;
      callbacks_.failed(failure.what(), *runner_);
    }
    bell_->wait(stop, std::chrono::nanoseconds(
                          std::clamp<int64_t>(next_tick_ns - steady_ns(), 0, kPollNs)));
    int64_t early_ns = begin_ns + kBatchNs - steady_ns();
    if (early_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(early_ns));
  }
  std::lock_guard lock(mutex_);
  ended_ = true;
  has_ended_.notify_all();
}

bool CycleLoop::stop(std::chrono::milliseconds patience) {
  thread_.request_stop();
  std::unique_lock lock(mutex_);
  return has_ended_.wait_for(lock, patience, [this] { return ended_; });
}

}  // namespace trellis
