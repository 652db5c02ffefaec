#include "server/kube/client/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "server/kube/client/exec_plugin.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::credentials_test {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kVersion1 = "client.authentication.k8s.io/v1";
constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z
constexpr std::chrono::seconds kPatience{20};

std::string credential(const std::string& status) {
  return std::string(R"({"kind":"ExecCredential","apiVersion":")") + kVersion1 + R"(","status":)" +
         status + "}";
}

class CredentialsTest : public testing::Test {
 protected:
  // A user of a program that says so.
  ClusterAccess with_program(const std::string& script) {
    folder.write("plugin", "#!/bin/sh\n" + script);
    ::chmod((folder.path() + "/plugin").c_str(), 0700);
    ClusterAccess access;
    access.user.exec = ExecCommand{.api_version = kVersion1,
                                   .command = folder.path() + "/plugin",
                                   .arguments = {},
                                   .environment = {{"FROM_CONFIG", "yes"}},
                                   .install_hint = "get it there"};
    return access;
  }

  TemporaryFolder folder;
  TimeUs now = kNoon;
  std::function<TimeUs()> clock = [this] { return now; };
};

TEST_F(CredentialsTest, ATokenFileIsReadAgain) {
  folder.write("token", "first\n");
  ClusterAccess access;
  access.user.token.file = folder.path() + "/token";
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.current()->token, "first");
  folder.write("token", "second\n");
  EXPECT_EQ(credentials.current()->token, "first");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->token, "second");
  EXPECT_EQ(credentials.current()->generation, 1) << "a connection may stay";
}

TEST_F(CredentialsTest, ATokenThatIsRefusedIsReadAgainAtOnce) {
  folder.write("token", "first");
  ClusterAccess access;
  access.user.token.file = folder.path() + "/token";
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.current()->token, "first");
  folder.write("token", "second");
  credentials.refused("another");
  EXPECT_EQ(credentials.current()->token, "first");
  credentials.refused("first");
  EXPECT_EQ(credentials.current()->token, "second");
}

TEST_F(CredentialsTest, AFileThatIsGoneForAMomentKeepsItsLastText) {
  folder.write("token", "first");
  ClusterAccess access;
  access.user.token.file = folder.path() + "/token";
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.current()->token, "first");
  folder.remove("token");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->token, "first");
}

TEST_F(CredentialsTest, AFileThatIsEmptyForAMomentKeepsItsLastText) {
  folder.write("token", "first");
  ClusterAccess access;
  access.user.token.file = folder.path() + "/token";
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.current()->token, "first");
  folder.write("token", "");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->token, "first");
}

TEST_F(CredentialsTest, AFolderInPlaceOfATokenLeavesTheLastOneInForceAndIsReportedOnce) {
  folder.write("token", "first\n");
  ClusterAccess access;
  access.user.token.file = folder.path() + "/token";
  std::vector<std::string> complaints;
  Credentials credentials(access, clock,
                          [&](const std::string& what) { complaints.push_back(what); });
  EXPECT_EQ(credentials.current()->token, "first");
  folder.remove("token");
  std::filesystem::create_directory(folder.file("token"));
  for (int i = 0; i < 3; ++i) {
    now += Credentials::kReadAgainUs;
    EXPECT_EQ(credentials.current()->token, "first");
  }
  EXPECT_THAT(complaints, testing::ElementsAre(HasSubstr("/token: found a directory")));
  std::filesystem::remove(folder.file("token"));
  folder.write("token", "two words");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->token, "first") << "it would be two headers' worth";
  EXPECT_THAT(complaints.back(),
              testing::AllOf(HasSubstr("expected a token"), Not(HasSubstr("words"))));
  folder.write("token", "second");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->token, "second");
  EXPECT_EQ(complaints.size(), 2U);
}

TEST_F(CredentialsTest, AFolderFromTheBeginningIsAnError) {
  ClusterAccess access;
  access.user.token.file = folder.path();
  Credentials credentials(access, clock);
  EXPECT_THAT(credentials.current().error().message, HasSubstr("found a directory"));
}

TEST_F(CredentialsTest, CertificatesThatDoNotFitLeaveTheLastOnesInForce) {
  auto make = [&](const std::string& name) {
    std::string command = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=x -keyout " +
                          folder.file(name + ".key") + " -out " + folder.file(name + ".crt") +
                          " 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  };
  auto give = [&](const std::string& from, const std::string& to) {
    std::filesystem::copy_file(folder.file(from), folder.file(to),
                               std::filesystem::copy_options::overwrite_existing);
  };
  make("one");
  make("two");
  give("one.crt", "crt");
  give("one.key", "key");
  give("one.crt", "ca");
  ClusterAccess access;
  access.user.certificate.file = folder.file("crt");
  access.user.key.file = folder.file("key");
  access.authority.file = folder.file("ca");
  Credentials credentials(access, clock);
  std::string first = credentials.current()->certificate;
  EXPECT_EQ(credentials.current()->generation, 1);
  give("two.crt", "crt");  // its key comes a moment later
  folder.write("ca", "-----BEGIN CERTIFICATE-----\nhalf");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->certificate, first);
  EXPECT_EQ(credentials.current()->authority, first);
  EXPECT_EQ(credentials.current()->generation, 1);
  give("two.key", "key");
  now += Credentials::kReadAgainUs;
  EXPECT_NE(credentials.current()->certificate, first);
  EXPECT_EQ(credentials.current()->generation, 2);
}

TEST_F(CredentialsTest, AClockThatIsSetBackKeepsNoOldToken) {
  folder.write("token", "first");
  ClusterAccess access;
  access.user.token.file = folder.path() + "/token";
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.current()->token, "first");
  folder.write("token", "second");
  now -= 3600 * kSecondUs;
  EXPECT_EQ(credentials.current()->token, "second");
}

TEST_F(CredentialsTest, OtherCertificatesNeedOtherConnections) {
  folder.write("crt", "one");
  ClusterAccess access;
  access.user.certificate.file = folder.path() + "/crt";
  access.user.key.text = "key";
  Credentials credentials(access, clock);
  EXPECT_EQ(credentials.current()->generation, 1);
  folder.write("crt", "two");
  now += Credentials::kReadAgainUs;
  EXPECT_EQ(credentials.current()->generation, 2);
}

TEST_F(CredentialsTest, AProgramRunsAgainWhenItsAnswerExpires) {
  std::string count = folder.path() + "/count";
  Credentials credentials(
      with_program(
          "echo x >> " + count + "\nn=$(wc -l < " + count + ")\necho '" +
          R"({"kind":"ExecCredential","apiVersion":")" + kVersion1 +
          R"(","status":{"expirationTimestamp":"2026-01-01T12:05:00Z","token":"t'$n'"}}')"),
      clock);
  EXPECT_EQ(credentials.current()->token, "t1");
  now += 4 * 60 * kSecondUs;
  EXPECT_EQ(credentials.current()->token, "t1");
  now = kNoon + 5 * 60 * kSecondUs - Credentials::kLeewayUs;
  EXPECT_EQ(credentials.current()->token, "t2");
  credentials.refused("t2");
  EXPECT_EQ(credentials.current()->token, "t3");
}

TEST_F(CredentialsTest, AProgramReceivesWhoAsks) {
  ClusterAccess access =
      with_program("echo '" + credential(R"({"token":"'$FROM_CONFIG'"})") +
                   "'\necho \"$KUBERNETES_EXEC_INFO\" > " + folder.path() + "/info");
  auto answer = run_exec_plugin(*access.user.exec, access, kPatience);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->token, "yes");
  EXPECT_THAT(GivenText({"", folder.path() + "/info"}).read().value(),
              HasSubstr(R"("spec":{"interactive":false})"));
}

TEST_F(CredentialsTest, AProgramThatFailsIsReportedWithWhatItComplainedOf) {
  ClusterAccess access = with_program("echo s3cret\necho 'log in first' >&2\nexit 3\n");
  auto failed = run_exec_plugin(*access.user.exec, access, kPatience);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("/plugin: failed: log in first"));
  EXPECT_THAT(failed.error().message, Not(HasSubstr("s3cret")));
  access.user.exec->command = folder.path() + "/absent";
  EXPECT_THAT(run_exec_plugin(*access.user.exec, access, kPatience).error().message,
              HasSubstr("No such file or directory; get it there"));
}

TEST_F(CredentialsTest, AProgramThatNeverEndsIsEnded) {
  ClusterAccess access = with_program("exec sleep 100\n");
  auto begin = std::chrono::steady_clock::now();
  auto failed = run_exec_plugin(*access.user.exec, access, std::chrono::milliseconds(100));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("did not end in time"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST_F(CredentialsTest, AProgramThatSaysAllAndNeverEndsIsEnded) {
  ClusterAccess access = with_program("echo half\nexec >&- 2>&-\nexec sleep 100\n");
  auto begin = std::chrono::steady_clock::now();
  auto failed = run_exec_plugin(*access.user.exec, access, std::chrono::milliseconds(100));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("did not end in time"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST_F(CredentialsTest, WhatAProgramStartedEndsWithIt) {
  std::string mark = folder.path() + "/child";
  ClusterAccess access = with_program("(sleep 1; touch " + mark + ") &\nexec sleep 100\n");
  EXPECT_FALSE(run_exec_plugin(*access.user.exec, access, std::chrono::milliseconds(200)));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
}

TEST(ExecCredential, SaysWhatItExpectsAndQuotesNothing) {
  auto failure = [](const std::string& text) {
    auto parsed = parse_exec_credential(text, kVersion1);
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_THAT(failure("s3cret"), Not(HasSubstr("s3cret")));
  EXPECT_EQ(failure(R"({"kind":"Pod"})"), "expected kind ExecCredential");
  EXPECT_THAT(failure(R"({"kind":"ExecCredential","apiVersion":"v0"})"), HasSubstr(kVersion1));
  EXPECT_THAT(failure(credential("{}")), HasSubstr("status.token"));
  EXPECT_THAT(failure(credential(R"({"clientKeyData":"s3cret"})")),
              testing::AllOf(HasSubstr("both"), Not(HasSubstr("s3cret"))));
  EXPECT_THAT(failure(credential(R"({"token":"t","expirationTimestamp":"soon"})")),
              HasSubstr("a time"));
}

}  // namespace
}  // namespace trellis::credentials_test
