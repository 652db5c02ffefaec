#include "server/log/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "server/log/line_writer.h"
#include "server/log/log_line.h"

namespace trellis {
namespace {

// Of a line that is too long; time and level are not counted.
constexpr size_t kMaxWordsBytes = Log::kMaxLineBytes - 96;
constexpr size_t kCutValueBytes = 256;
constexpr size_t kMaxNames = 1000;  // of events that are counted

constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                spdlog::level::err};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  return kLevels[static_cast<size_t>(level)];
}

LogLevel level_of(spdlog::level::level_enum level) {
  auto at = std::find(kLevels.begin(), kLevels.end(), level);
  return static_cast<LogLevel>(at - kLevels.begin());
}

class LineFormatter : public spdlog::formatter {
 public:
  explicit LineFormatter(LogFormat format) : format_(format) {}
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    std::string_view words(message.payload.data(), message.payload.size());
    std::string line = log_line(format_, message.time, level_of(message.level), words);
    out.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_);
  }

 private:
  LogFormat format_;
};

class LineSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LineSink(const LogOptions& options)
      : format_(options.format), capture_(options.capture), writer_(options.fd, Log::kPatienceMs) {
    set_formatter_(std::make_unique<LineFormatter>(options.format));
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string_view text(line.data(), line.size());
    if (capture_) return capture_(text);
    if (!writer_.write(text) || writer_.dropped() == 0) return;
    LogField count{.key = "count", .value = writer_.dropped()};
    std::string words = log_words(format_, "lines dropped, their reader was too slow", {&count, 1});
    if (writer_.write(log_line(format_, message.time, LogLevel::Warn, words))) {
      writer_.forget_dropped();
    }
  }
  void flush_() override {}

 private:
  LogFormat format_;
  std::function<void(std::string_view)> capture_;
  LineWriter writer_;
};

// How often each event may be told.
class Rates {
 public:
  explicit Rates(int64_t per_second) : per_second_(per_second) {}

  struct Verdict {
    bool tell;
    int64_t held_back;  // lines of this event before this one
  };

  Verdict judge(std::string_view event) {
    auto now = std::chrono::steady_clock::now();
    std::lock_guard lock(mutex_);
    auto found = sites_.find(event);
    if (found == sites_.end()) {
      if (sites_.size() >= kMaxNames) return {.tell = true, .held_back = 0};
      found = sites_.emplace(event, Site{.since = now}).first;
    }
    Site& site = found->second;
    if (now - site.since >= std::chrono::seconds(1)) {
      site.since = now;
      site.told = 0;
    }
    if (site.told >= per_second_) {
      ++site.held_back;
      return {.tell = false, .held_back = 0};
    }
    ++site.told;
    return {.tell = true, .held_back = std::exchange(site.held_back, 0)};
  }

 private:
  struct Site {
    std::chrono::steady_clock::time_point since;
    int64_t told = 0;
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
  // Quoting makes a byte at most six.
  return words.size() <= kMaxWordsBytes ? words : log_words(format, event, {});
}

}  // namespace

class Log::Core {
 public:
  explicit Core(const LogOptions& options)
      : format_(options.format),
        rates_(options.per_second),
        logger_("trellis", std::make_shared<LineSink>(options)) {
    logger_.set_level(spdlog_level(options.level));
    // A log that cannot be written is no fault of the program.
    logger_.set_error_handler([](const std::string&) {});
  }

  void event(LogLevel level, std::string_view event, std::span<const LogField> fields) {
    if (!enabled(level)) return;
    Rates::Verdict verdict = rates_.judge(event);
    if (!verdict.tell) return;
    std::vector<LogField> all(fields.begin(), fields.end());
    if (verdict.held_back > 0) all.push_back({.key = "heldBack", .value = verdict.held_back});
    logger_.log(spdlog_level(level), bounded_words(format_, event, all));
  }

  bool enabled(LogLevel level) const { return logger_.should_log(spdlog_level(level)); }
  void set_level(LogLevel level) { logger_.set_level(spdlog_level(level)); }

 private:
  LogFormat format_;
  Rates rates_;
  spdlog::logger logger_;
};

Log::Log(const LogOptions& options) : core_(std::make_unique<Core>(options)) {}
Log::~Log() = default;

void Log::event(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  core_->event(level, event, fields);
}

bool Log::enabled(LogLevel level) const { return core_->enabled(level); }
void Log::set_level(LogLevel level) { core_->set_level(level); }

}  // namespace trellis
