#include "server/kube/watch/kind_watch.h"

#include <chrono>
#include <utility>

#include "server/kube/client/line_buffer.h"
#include "server/system/clock.h"

namespace trellis {
KindWatch::KindWatch(Options options, Log& log)
    : served_(std::move(options.served)),
      store_(std::move(options.store)),
      log_(log),
      client_(std::move(options.credentials)),
      reflector_({.path = served_.path(),
                  .kind = served_.api_kind(),
                  .seed = options.seed,
                  .failed = [this](const std::string& what) { log_failure(what); },
                  .broken = [this](const std::string& what) { log_broken(what); }},
                 *store_),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

KindWatch::~KindWatch() {
  request_stop();
  std::unique_lock lock(mutex_);
  cancel_until([this] { return ended_; }, client_, lock, woken_);
}

void KindWatch::request_stop() {
  thread_.request_stop();
  client_.cancel();
}

ReflectorFigures KindWatch::figures() const {
  std::lock_guard lock(mutex_);
  return figures_;
}

void KindWatch::keep_figures() {
  std::lock_guard lock(mutex_);
  figures_ = reflector_.figures();
}

void KindWatch::log_failure(const std::string& what) {
  log_.event(LogLevel::Warn, "watching failed", {{"kind", served_.name()}, {"what", what}});
}

void KindWatch::log_broken(const std::string& what) {
  log_.event(LogLevel::Error, "object cannot be read", {{"kind", served_.name()}, {"what", what}});
}

void KindWatch::list(const Reflector::Step& step) {
  bool synced = store_->synced();
  ApiAnswer answer = client_.get(step.target, step.timeout_ms);
  reflector_.listed(steady_ms(), answer);
  if (synced || !store_->synced()) return;
  log_.event(LogLevel::Info, "kind read",
             {{"kind", served_.name()},
              {"version", served_.version},
              {"objects", static_cast<int64_t>(store_->size())}});
}

void KindWatch::watch(const Reflector::Step& step, const std::stop_token& stop) {
  LineBuffer lines;
  auto take = [&](std::string_view bytes) {
    bool more = lines.add(bytes, [&](const std::string& line) {
      bool good = reflector_.take_line(line);
      return good && !stop.stop_requested();
    });
    if (lines.too_long()) reflector_.lose("a line of the stream is too long");
    keep_figures();
    return more;
  };
  ApiAnswer answer = client_.stream(step.target, step.timeout_ms, take);
  if (!stop.stop_requested()) reflector_.ended(steady_ms(), answer);
}

void KindWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Reflector::Step step = reflector_.next(steady_ms());
    keep_figures();
    if (step.what == Reflector::Step::Do::List) {
      list(step);
    } else if (step.what == Reflector::Step::Do::Watch) {
      watch(step, stop);
    } else {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, stop, std::chrono::milliseconds(step.until_ms - steady_ms()),
                      [] { return false; });
    }
  }
  std::lock_guard lock(mutex_);
  ended_ = true;
  woken_.notify_all();
}

}  // namespace trellis
