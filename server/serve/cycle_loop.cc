#include "server/serve/cycle_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace trellis {
namespace {

constexpr int64_t kNsPerUs = 1000;
constexpr int64_t kPollNs = 100'000'000;
// Reading a very large input may take a while.
constexpr int64_t kSilenceNs = 120'000'000'000;

TimeUs wall_clock_us() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

CycleLoop::CycleLoop(std::unique_ptr<CycleRunner> runner, Callbacks callbacks)
    : runner_(std::move(runner)),
      callbacks_(std::move(callbacks)),
      heartbeat_ns_(steady_ns()),
      period_ns_(runner_->config().period_us * kNsPerUs),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

CycleLoop::~CycleLoop() = default;

void CycleLoop::configure(const Config& config) {
  {
    std::lock_guard lock(mutex_);
    config_ = config;
  }
  woken_.notify_all();
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
  std::shared_ptr<const FinishedCycle> cycle = runner_->run(wall_clock_us());
  next_tick_ns = steady_ns() + period_ns_;
  if (cycle) {
    callbacks_.finished(std::move(cycle), *runner_);
  } else if (!runner_->failure().empty()) {
    callbacks_.failed(runner_->failure());
  }
}

void CycleLoop::run(const std::stop_token& stop) {
  int64_t next_tick_ns = steady_ns();
  while (!stop.stop_requested()) {
    turn(next_tick_ns);
    int64_t wait_ns = std::clamp<int64_t>(next_tick_ns - steady_ns(), 0, kPollNs);
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, std::chrono::nanoseconds(wait_ns),
                    [this] { return config_.has_value(); });
  }
  std::lock_guard lock(mutex_);
  ended_ = true;
  woken_.notify_all();
}

bool CycleLoop::stop(std::chrono::milliseconds patience) {
  thread_.request_stop();
  std::unique_lock lock(mutex_);
  return woken_.wait_for(lock, patience, [this] { return ended_; });
}

}  // namespace trellis
