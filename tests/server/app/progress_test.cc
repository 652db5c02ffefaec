#include <gtest/gtest.h>

#include "server/app/console.h"

namespace trellis::progress_test {
namespace {

using std::chrono::milliseconds;

struct Terminal {
  StringSink out;
  StringSink err;
  Console console{.out = out, .err = err, .err_is_terminal = true};
  Progress::Clock::time_point start = Progress::Clock::time_point() + std::chrono::hours(1);
};

TEST(Progress, SaysNothingInTheFirstSecond) {
  Terminal terminal;
  {
    Progress progress(terminal.console, terminal.start);
    progress.update(1, 2, terminal.start + milliseconds(999));
  }
  EXPECT_EQ(terminal.err.text(), "");
}

TEST(Progress, DrawsOneLineAndWipesIt) {
  Terminal terminal;
  {
    Progress progress(terminal.console, terminal.start);
    progress.update(120'000'000, 480'000'000, terminal.start + milliseconds(1000));
    progress.update(121'000'000, 480'000'000, terminal.start + milliseconds(1050));
    progress.update(1'500'000'000, 0, terminal.start + milliseconds(1200));
  }
  EXPECT_EQ(terminal.err.text(),
            "\r\x1b[Kreading: 120 of 480 MB, 25 %"
            "\r\x1b[Kreading: 1,500 MB"
            "\r\x1b[K");
}

TEST(Progress, NothingWhereNoPluginWatches) {
  Terminal terminal;
  terminal.console.err_is_terminal = false;
  {
    Progress progress(terminal.console, terminal.start);
    progress.update(1, 2, terminal.start + milliseconds(5000));
  }
  EXPECT_EQ(terminal.err.text(), "");
}

}  // namespace
}  // namespace trellis::progress_test
