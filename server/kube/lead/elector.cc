#include "server/kube/lead/elector.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <utility>

#include "server/kube/watch/kind_watch.h"
#include "server/system/clock.h"

namespace trellis {
namespace {}  // namespace

// std::chrono's steady clock stops while the machine sleeps.
int64_t Elector::now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::string Elector::identity() {
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::string suffix;
  std::random_device random;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int i = 0; i < 16; ++i) suffix += kDigits[random() % kDigits.size()];
  return std::string(host) + "_" + suffix;
}

Elector::Elector(Election::Options options, std::shared_ptr<Credentials> credentials, Log& log)
    : log_(log),
      identity_(options.identity),
      client_(std::move(credentials)),
      election_(std::move(options)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Elector::~Elector() {
  thread_.request_stop();
  std::unique_lock lock(mutex_);
  cancel_until([this] { return ended_; }, client_, lock, woken_);
}

std::string Elector::standing() const {
  if (leads()) return "leading";
  std::lock_guard lock(mutex_);
  if (holder_.empty() || holder_ == identity_) return "standing by";
  return "standing by, " + holder_ + " leads";
}

bool Elector::release(std::chrono::milliseconds patience) {
  releasing_ = true;
  std::unique_lock lock(mutex_);
  woken_.notify_all();
  return woken_.wait_for(lock, patience, [this] { return ended_; });
}

// Publishes the result of a request to other threads.
void Elector::take_answer() {
  failures_ = election_.failures();
  leads_until_ms_ = election_.leads_until_ms();
  {
    std::lock_guard lock(mutex_);
    holder_ = election_.holder();
  }
  const std::string& failure = election_.failure();
  if (!failure.empty() && failure != logged_failure_) {
    log_.event(LogLevel::Warn, "election failed", {{"what", failure}});
  }
  logged_failure_ = failure;
}

void Elector::log_lead() {
  if (leads() == logged_leading_) return;
  logged_leading_ = !logged_leading_;
  log_.event(LogLevel::Info, logged_leading_ ? "leading" : "no longer leading",
             {{"identity", identity_}, {"holder", election_.holder()}});
}

void Elector::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (releasing_) election_.release();
    log_lead();
    Election::Step step = election_.next(now_ms(), wall_us());
    if (step.what == Election::Step::Do::End) break;
    if (step.what == Election::Step::Do::Ask) {
      ApiAnswer answer = client_.send(step.request, Election::kAnswerMs);
      election_.answered(now_ms(), answer);
      take_answer();
      continue;
    }
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, std::chrono::milliseconds(step.until_ms - now_ms()),
                    [this] { return releasing_.load() && !election_.releasing(); });
  }
  std::lock_guard lock(mutex_);
  ended_ = true;
  woken_.notify_all();
}

}  // namespace trellis
