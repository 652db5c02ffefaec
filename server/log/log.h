// The log: one line an event, for people (text) or programs (JSON):
//
//   2026-01-01T00:00:00.123Z info  gang placed  gang=research/speech domain="rack b1/r4"
//   {"time":"2026-01-01T00:00:00.123Z","level":"info","event":"gang placed","gang":"a/b"}
//
// May be called by any thread. Guarantees: a line is one write and at most kMaxLineBytes long
// (longer lines are cut), a value cannot be mistaken for another field or line, a reader that does
// not read costs at most kPatienceMs once and then nothing: lines that cannot be written are
// dropped and counted. An event that occurs more than `per_second` times a second is held back, and
// its next line contains how many were.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace trellis {

enum class LogFormat { Text, JsonLines };
enum class LogLevel { Debug, Info, Warn, Error };

struct LogField {
  std::string_view key;  // a word of letters
  std::variant<std::string_view, int64_t, double> value;
};

using LogTime = std::chrono::system_clock::time_point;

struct LogOptions {
  LogFormat format = LogFormat::Text;
  LogLevel level = LogLevel::Info;  // and above
  int64_t per_second = 1000;        // lines of one event
  int fd = 2;
  // For tests: called instead of writing, with whole lines, by one thread at a time.
  std::function<void(std::string_view line)> capture;
};

class Log {
 public:
  static constexpr size_t kMaxLineBytes = 4096;  // a pipe accepts so many in one piece
  static constexpr int kPatienceMs = 50;

  explicit Log(const LogOptions& options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void event(LogLevel level, std::string_view event, std::span<const LogField> fields);
  void event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {}) {
    this->event(level, event, std::span(fields.begin(), fields.size()));
  }
  bool enabled(LogLevel level) const;
  void set_level(LogLevel level);

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace trellis
