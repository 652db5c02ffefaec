// The real process: what only shows with file descriptors and signals.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/server/system/temporary_folder.h"

namespace trellis::process_test {
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

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Process, ASavedFileTakesThePlaceOfTheOneBeforeAtOnce) {
  test::TemporaryFolder folder;
  folder.write("next.jsonl", "before\n");
  std::filesystem::create_symlink("next.jsonl", folder.file("link"));
  std::filesystem::create_hard_link(folder.file("next.jsonl"), folder.file("former"));
  std::filesystem::permissions(folder.file("next.jsonl"), std::filesystem::perms::owner_all);
  std::string schedule = kTrellis + " schedule" + kHall + " --save ";
  EXPECT_EQ(run(schedule + folder.file("link") + " >/dev/null").code, 0);
  EXPECT_EQ(text_of(folder.file("former")), "before\n") << "it was written into";
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(text_of(folder.file("next.jsonl")).front(), '{');
  EXPECT_EQ(std::filesystem::status(folder.file("next.jsonl")).permissions(),
            std::filesystem::perms::owner_all);
  std::string there = run("ls -A " + folder.path()).out;
  EXPECT_EQ(there, "former\nlink\nnext.jsonl\n");
}

TEST(Process, AFileThatCannotBeWrittenWholeIsAsItWas) {
  test::TemporaryFolder folder;
  folder.write("next.jsonl", "before\n");
  Outcome outcome = run("bash -c \"trap '' XFSZ; ulimit -f 1; " + kTrellis + " schedule" + kHall +
                        " --save " + folder.file("next.jsonl") + " 2>&1 >/dev/null\"");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "trellis: cannot write " + folder.file("next.jsonl") + ": File too large\n");
  EXPECT_EQ(text_of(folder.file("next.jsonl")), "before\n");
  EXPECT_EQ(run("ls -A " + folder.path()).out, "next.jsonl\n");
}

TEST(Process, WhatIsNoFileIsSavedTo) {
  std::string schedule = kTrellis + " schedule" + kHall + " --save ";
  Outcome piped = run(schedule + "/dev/stdout | grep -c apiVersion");
  EXPECT_GT(std::stoi(piped.out), 1);
  test::TemporaryFolder folder;
  EXPECT_EQ(run(schedule + "/dev/stdout >" + folder.file("out")).code, 0);
  EXPECT_NE(text_of(folder.file("out")).find("apiVersion"), std::string::npos);
  EXPECT_EQ(run("bash -c '" + schedule + ">(grep -c apiVersion >&2) >/dev/null; wait' 2>&1").code,
            0);
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
}  // namespace trellis::process_test
