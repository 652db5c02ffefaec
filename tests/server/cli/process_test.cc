// The real process: what only shows with file descriptors and signals.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace trellis {
namespace {

const std::string kTrellis = TRELLIS_BINARY;
const std::string kHall = " -f " TRELLIS_SOURCE_DIR "/examples/nvl72/cluster.yaml";

struct Outcome {
  int code;
  std::string out;
};

// Runs a shell command; stdout is kept.
Outcome run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  std::array<char, 4096> buffer;
  for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    out.append(buffer.data(), n);
  }
  int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

TEST(Process, AReaderThatGoesAwayIsNoFailure) {
  Outcome outcome = run("bash -o pipefail -c '" + kTrellis + " schedule" + kHall +
                        " -o json | head -c 10 > /dev/null'");
  EXPECT_EQ(outcome.code, 0);
}

TEST(Process, OutputThatCannotBeWrittenIsAFailure) {
  Outcome outcome = run(kTrellis + " help 2>&1 >/dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "trellis: cannot write the output: No space left on device\n");
}

TEST(Process, AFileThatCannotBeSavedIsAFailure) {
  Outcome outcome =
      run(kTrellis + " schedule" + kHall + " --save /nonexistent/next.jsonl 2>&1 >/dev/null");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "trellis: cannot write /nonexistent/next.jsonl: No such file or directory\n");
  EXPECT_EQ(run(kTrellis + " schedule" + kHall + " --save /dev/full >/dev/null 2>&1").code, 1);
}

TEST(Process, AFileThatIsNotThereIsBadInput) {
  Outcome outcome = run(kTrellis + " schedule -f /nonexistent.yaml 2>/dev/null");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.out.find("0 of 0 gangs placed"), std::string::npos);
}

TEST(Process, BarsFollowTheLocale) {
  EXPECT_NE(run("LC_ALL=C " + kTrellis + " topology" + kHall).out.find("|- b1     #"),
            std::string::npos);
  EXPECT_NE(run("LC_ALL=C.UTF-8 " + kTrellis + " topology" + kHall).out.find("├─ b1     █"),
            std::string::npos);
}

TEST(Process, NoColoursIntoAPipe) {
  EXPECT_EQ(run(kTrellis + " schedule" + kHall + " 2>&1").out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace trellis
