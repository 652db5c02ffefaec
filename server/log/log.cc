#include "server/log/log.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "server/log/line_writer.h"
#include "server/log/log_line.h"

namespace trellis {
namespace {

// The most bytes of a line without its time and level; longer ones are cut.
constexpr size_t kMaxWordsBytes = Log::kMaxLineBytes - 96;
constexpr size_t kCutValueBytes = 256;
constexpr size_t kMaxNames = 1000;  // of events that are counted

// Writes lines, one thread at a time. After lines were dropped, their count follows the next line
// that is written.
class LineSink {
 public:
  explicit LineSink(const LogOptions& options)
      : format_(options.format), capture_(options.capture), writer_(options.fd, Log::kPatienceMs) {}

  void write(LogLevel level, std::string_view words) {
    LogTime now = std::chrono::system_clock::now();
    std::lock_guard lock(mutex_);
    std::string line = log_line(format_, now, level, words);
    if (capture_) return capture_(line);
    if (!writer_.write(line) || writer_.dropped() == 0) return;
    LogField count{.key = "count", .value = writer_.dropped()};
    std::string dropped =
        log_words(format_, "lines dropped, their reader was too slow", {&count, 1});
    if (writer_.write(log_line(format_, now, LogLevel::Warn, dropped))) writer_.forget_dropped();
  }

 private:
  LogFormat format_;
  std::function<void(std::string_view)> capture_;
  std::mutex mutex_;
  LineWriter writer_;
};

// Limits how often each event is logged.
class Rates {
 public:
  explicit Rates(int64_t per_second) : per_second_(per_second) {}

  struct Verdict {
    bool write;
    int64_t held_back;  // lines of this event before this one
  };

  Verdict judge(std::string_view event) {
    auto now = std::chrono::steady_clock::now();
    std::lock_guard lock(mutex_);
    auto found = sites_.find(event);
    if (found == sites_.end()) {
      if (sites_.size() >= kMaxNames) return {.write = true, .held_back = 0};
      found = sites_.emplace(event, Site{.since = now}).first;
    }
    Site& site = found->second;
    if (now - site.since >= std::chrono::seconds(1)) {
      site.since = now;
      site.written = 0;
    }
    if (site.written >= per_second_) {
      ++site.held_back;
      return {.write = false, .held_back = 0};
    }
    ++site.written;
    return {.write = true, .held_back = std::exchange(site.held_back, 0)};
  }

 private:
  struct Site {
    std::chrono::steady_clock::time_point since;
    int64_t written = 0;
    int64_t held_back = 0;
  };

  int64_t per_second_;
  std::mutex mutex_;
  std::map<std::string, Site, std::less<>> sites_;
};

std::string bounded_words(LogFormat format, std::string_view event,
                          std::span<const LogField> fields) {
  std::string words = log_words(format, event, fields);
  if (words.size() <= kMaxWordsBytes) return words;
  std::vector<LogField> cut(fields.begin(), fields.end());
  for (LogField& field : cut) {
    auto* text = std::get_if<std::string_view>(&field.value);
    if (text != nullptr) *text = text->substr(0, kCutValueBytes);
  }
  event = event.substr(0, kCutValueBytes);
  words = log_words(format, event, cut);
  // Quoting turns a byte into at most six.
  return words.size() <= kMaxWordsBytes ? words : log_words(format, event, {});
}

}  // namespace

class Log::Core {
 public:
  explicit Core(const LogOptions& options)
      : format_(options.format),
        level_(options.level),
        rates_(options.per_second),
        sink_(options) {}

  void event(LogLevel level, std::string_view event, std::span<const LogField> fields) {
    if (!enabled(level)) return;
    Rates::Verdict verdict = rates_.judge(event);
    if (!verdict.write) return;
    std::vector<LogField> all(fields.begin(), fields.end());
    if (verdict.held_back > 0) all.push_back({.key = "heldBack", .value = verdict.held_back});
    sink_.write(level, bounded_words(format_, event, all));
  }

  bool enabled(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }
  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }

 private:
  LogFormat format_;
  std::atomic<LogLevel> level_;
  Rates rates_;
  LineSink sink_;
};

Log::Log(const LogOptions& options) : core_(std::make_unique<Core>(options)) {}
Log::~Log() = default;

void Log::event(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  core_->event(level, event, fields);
}

bool Log::enabled(LogLevel level) const { return core_->enabled(level); }
void Log::set_level(LogLevel level) { core_->set_level(level); }

}  // namespace trellis
