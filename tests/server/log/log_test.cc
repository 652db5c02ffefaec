#include "server/log/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>
#include <vector>

#include "server/log/log_line.h"
#include "server/system/descriptor.h"

namespace trellis::log_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Captured {
  std::vector<std::string> lines;
  LogOptions options(LogFormat format = LogFormat::Text) {
    LogOptions options{.format = format};
    options.capture = [this](std::string_view line) { lines.emplace_back(line); };
    return options;
  }
};

std::string without_time(const std::string& line) { return line.substr(line.find(' ') + 1); }

TEST(Log, TextIsForPeople) {
  Captured captured;
  Log log(captured.options());
  log.event(LogLevel::Info, "gang placed",
            {{"gang", "research/speech"}, {"domain", "rack b1/r4"}, {"seconds", 0.000012}});
  log.event(LogLevel::Error, "file broken", {{"line", int64_t{12}}, {"why", ""}});
  log.event(LogLevel::Warn, "alone");
  ASSERT_EQ(captured.lines.size(), 3U);
  EXPECT_TRUE(std::regex_search(
      captured.lines[0], std::regex("^20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ")))
      << captured.lines[0];
  EXPECT_EQ(without_time(captured.lines[0]),
            "info  gang placed  gang=research/speech domain=\"rack b1/r4\" seconds=1.2e-05\n");
  EXPECT_EQ(without_time(captured.lines[1]), "error file broken  line=12 why=\"\"\n");
  EXPECT_EQ(without_time(captured.lines[2]), "warn  alone\n");
}

TEST(Log, JsonIsForPrograms) {
  Captured captured;
  Log log(captured.options(LogFormat::JsonLines));
  const std::string hostile = "a \"b\"\\\n\x01\xff}\",\"level\":\"x";
  log.event(LogLevel::Debug, "not written");
  log.event(LogLevel::Warn, "an \"event\"",
            {{"text", hostile},
             {"number", int64_t{-7}},
             {"real", 0.25},
             {"none", std::numeric_limits<double>::quiet_NaN()}});
  ASSERT_EQ(captured.lines.size(), 1U);
  EXPECT_EQ(captured.lines[0].find('\n'), captured.lines[0].size() - 1);
  auto line = nlohmann::json::parse(captured.lines[0]);
  EXPECT_EQ(line.size(), 7U);
  EXPECT_EQ(line["level"], "warn");
  EXPECT_EQ(line["event"], "an \"event\"");
  EXPECT_EQ(line["text"], "a \"b\"\\\n\x01\xEF\xBF\xBD}\",\"level\":\"x");
  EXPECT_EQ(line["number"], -7);
  EXPECT_EQ(line["real"], 0.25);
  EXPECT_TRUE(line["none"].is_null());
}

TEST(Log, NoValueBreaksOutOfItsLine) {
  Captured captured;
  Log log(captured.options());
  log.event(LogLevel::Info, "new\nline", {{"a", "b\n2026 info  forged  c=d"}, {"e", "f=g"}});
  ASSERT_EQ(captured.lines.size(), 1U);
  EXPECT_EQ(without_time(captured.lines[0]),
            "info  new\\nline  a=\"b\\n2026 info  forged  c=d\" e=\"f=g\"\n");
}

TEST(Log, TimesAreToTheMillisecond) {
  LogTime time{std::chrono::milliseconds(1'767'225'600'007)};
  EXPECT_EQ(log_time(time), "2026-01-01T00:00:00.007Z");
}

TEST(Log, LevelsAreAThreshold) {
  Captured captured;
  Log log(captured.options());
  EXPECT_FALSE(log.enabled(LogLevel::Debug));
  log.set_level(LogLevel::Warn);
  log.event(LogLevel::Info, "no");
  log.event(LogLevel::Error, "yes");
  EXPECT_EQ(captured.lines.size(), 1U);
}

TEST(Log, LongLinesAreCutAndStayWhatTheyAre) {
  Captured captured;
  Log log(captured.options(LogFormat::JsonLines));
  const std::string long_text(100'000, '\x01');
  log.event(LogLevel::Info, "long", {{"a", long_text}, {"b", int64_t{1}}});
  log.event(LogLevel::Info, "longer", {{"a", long_text}, {"b", long_text}, {"c", long_text}});
  log.event(LogLevel::Info, long_text, {{"a", long_text}});
  ASSERT_EQ(captured.lines.size(), 3U);
  for (const std::string& line : captured.lines) {
    EXPECT_LE(line.size(), Log::kMaxLineBytes);
    EXPECT_FALSE(nlohmann::json::parse(line, nullptr, false).is_discarded());
  }
  EXPECT_EQ(nlohmann::json::parse(captured.lines[0])["b"], 1);
}

TEST(Log, AnEventThatRepeatsIsHeldBackAndCounted) {
  Captured captured;
  LogOptions options = captured.options();
  options.per_second = 3;
  Log log(options);
  for (int i = 0; i < 10; ++i) log.event(LogLevel::Info, "often");
  log.event(LogLevel::Info, "seldom");
  EXPECT_EQ(captured.lines.size(), 4U);
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  log.event(LogLevel::Info, "often", {{"a", "b"}});
  EXPECT_EQ(without_time(captured.lines.back()), "info  often  a=b heldBack=7\n");
  log.event(LogLevel::Info, "often");
  EXPECT_EQ(without_time(captured.lines.back()), "info  often\n");
}

struct Pipe {
  Descriptor reader;
  Descriptor writer;
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
  }
  std::string read_all() {
    ::fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    std::string text;
    std::array<char, 65536> bytes;
    for (ssize_t count; (count = ::read(reader.get(), bytes.data(), bytes.size())) > 0;) {
      text.append(bytes.data(), static_cast<size_t>(count));
    }
    return text;
  }
};

TEST(Log, ThreadsWriteWholeLines) {
  Pipe pipe;
  Log log({.format = LogFormat::JsonLines, .fd = pipe.writer.get()});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int n = 0; n < 100; ++n) log.event(LogLevel::Info, "line", {{"n", int64_t{n}}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::istringstream text(pipe.read_all());
  int lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    ASSERT_FALSE(nlohmann::json::parse(line, nullptr, false).is_discarded()) << line;
  }
  EXPECT_EQ(lines, 400);
}

TEST(Log, AReaderThatStoppedDelaysNoOtherForLong) {
  Pipe pipe;
  Log log({.per_second = 1'000'000, .fd = pipe.writer.get()});
  const std::string text(1000, 'x');
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) log.event(LogLevel::Info, "line", {{"text", text}});
  auto took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took, std::chrono::milliseconds(1000));
  size_t kept = pipe.read_all().size();
  EXPECT_GT(kept, 30'000U);
  log.event(LogLevel::Info, "again");
  EXPECT_THAT(pipe.read_all(), ::testing::ContainsRegex(
                                   "info  again\n.*warn  lines dropped, their reader was too slow  "
                                   "count=9[0-9][0-9]\n"));
}

TEST(Log, AReaderThatWentAwayIsNoFailure) {
  Pipe pipe;
  pipe.reader.close();
  auto before = std::signal(SIGPIPE, SIG_IGN);  // as main does
  Log log({.fd = pipe.writer.get()});
  log.event(LogLevel::Info, "to no reader");
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace trellis::log_test
