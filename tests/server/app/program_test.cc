// The program without its process.

#include <gtest/gtest.h>

#include "server/app/commands.h"
#include "server/version.h"

namespace trellis::program_test {
namespace {

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& words) {
  StringSink out;
  StringSink err;
  Console console{.out = out, .err = err};
  ExitCode code = run_program(words, console);
  return {code, out.text(), err.text()};
}

TEST(Program, VersionGoesToStdout) {
  Outcome outcome = run({"version"});
  EXPECT_EQ(outcome.code, kDone);
  EXPECT_EQ(outcome.out.rfind("trellis " + std::string(kVersion), 0), 0u);
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, BadUsageGoesToStderr) {
  Outcome outcome = run({"shedule"});
  EXPECT_EQ(outcome.code, kBadInput);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "trellis: unknown command \"shedule\": did you mean \"schedule\"?\n"
            "See 'trellis --help'.\n");
}

TEST(Program, HelpIsAResult) {
  Outcome outcome = run({"help"});
  EXPECT_EQ(outcome.code, kDone);
  EXPECT_NE(outcome.out.find("Usage: trellis"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, ABrokenConfigurationStopsEverything) {
  Outcome outcome = run({"config", "print", "--config", "/nonexistent.yaml"});
  EXPECT_EQ(outcome.code, kBadInput);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("/nonexistent.yaml"), std::string::npos);
}

TEST(Program, ConfigPrintIsYamlWithComments) {
  Outcome outcome = run({"config", "print"});
  EXPECT_EQ(outcome.code, kDone);
  EXPECT_NE(outcome.out.find("\nperiod: 1s "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("# "), std::string::npos);
}

}  // namespace
}  // namespace trellis::program_test
