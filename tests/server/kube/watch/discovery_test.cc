#include "server/kube/watch/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace trellis::discovery_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// A server that serves what it is given, by path; all else is 404.
class Served {
 public:
  Served() {
    answers["/apis"] = {200,
                        R"({"kind":"APIGroupList","groups":[)"
                        R"({"name":"kueue.x-k8s.io","versions":[{"version":"v1beta1"},)"
                        R"({"version":"v1beta2"}]}]})",
                        "", 0};
    answers["/api/v1"] = resources({{"pods", "Pod"}, {"pods/status", "Pod"}, {"nodes", "Node"}});
    answers["/apis/kueue.x-k8s.io/v1beta2"] = resources({{"workloads", "Workload"}});
    answers["/apis/kueue.x-k8s.io/v1beta1"] =
        resources({{"workloads", "Workload"}, {"cohorts", "Cohort"}});
  }

  static ApiAnswer resources(const std::vector<std::pair<std::string, std::string>>& kinds) {
    std::string text;
    for (const auto& [name, kind] : kinds) {
      text += (text.empty() ? "" : ",") + (R"({"name":")" + name + R"(","kind":")") + kind +
              R"(","verbs":["get","list","watch"]})";
    }
    return {200, R"({"kind":"APIResourceList","resources":[)" + text + "]}", "", 0};
  }

  std::vector<std::string> paths() const {
    auto served = discover(get());
    std::vector<std::string> paths;
    if (!served) return {served.error().message};
    for (const ServedKind& kind : served->served) paths.push_back(kind.path());
    return paths;
  }

  ApiGet get() const {
    return [this](const std::string& path) {
      auto found = answers.find(path);
      return found == answers.end() ? ApiAnswer{404, "", "", 0} : found->second;
    };
  }

  std::map<std::string, ApiAnswer> answers;
};

TEST(Discovery, TakesTheBestVersionOfEachKindThatIsThere) {
  EXPECT_THAT(Served().paths(), testing::ElementsAre("/api/v1/nodes", "/api/v1/pods",
                                                     "/apis/kueue.x-k8s.io/v1beta1/cohorts",
                                                     "/apis/kueue.x-k8s.io/v1beta2/workloads"));
}

TEST(Discovery, NamesAreThoseOfKubectl) {
  auto discovered = discover(Served().get());
  ASSERT_TRUE(discovered);
  const std::vector<ServedKind>& served = discovered->served;
  EXPECT_EQ(served.front().name(), "nodes");
  EXPECT_EQ(served.back().name(), "workloads.kueue.x-k8s.io");
  EXPECT_EQ(served.back().api_kind().api_version, "kueue.x-k8s.io/v1beta2");
}

TEST(Discovery, AKindThatComesLaterIsFound) {
  Served server;
  EXPECT_THAT(server.paths(), Not(Contains(HasSubstr("podgroups"))));
  server.answers["/apis"].body =
      R"({"groups":[{"name":"scheduling.run.ai","versions":[{"version":"v2alpha2"}]}]})";
  server.answers["/apis/scheduling.run.ai/v2alpha2"] =
      Served::resources({{"podgroups", "PodGroup"}});
  EXPECT_THAT(server.paths(), Contains("/apis/scheduling.run.ai/v2alpha2/podgroups"));
}

TEST(Discovery, AVersionThatWentBetweenTwoAnswersIsAbsent) {
  Served server;
  server.answers.erase("/apis/kueue.x-k8s.io/v1beta2");
  EXPECT_THAT(server.paths(), Contains("/apis/kueue.x-k8s.io/v1beta1/workloads"));
}

TEST(Discovery, WhatCannotBeWatchedIsNotRead) {
  Served server;
  server.answers["/api/v1"].body =
      R"({"resources":[{"name":"pods","kind":"Pod","verbs":["list"]}]})";
  EXPECT_THAT(server.paths(), Not(Contains(HasSubstr("pods"))));
}

std::string unknown(const Served& server) {
  auto discovered = discover(server.get());
  if (!discovered) return discovered.error().message;
  std::string text;
  for (const UnknownVersions& one : discovered->unknown) {
    text += one.name() + ":";
    for (const std::string& version : one.versions) text += " " + version;
    text += ";";
  }
  return text;
}

// Kubernetes 1.37 has no PodGroups of its own unless they are switched on, and then in v1beta1; of
// what may come after it nothing is known.
TEST(Discovery, KindsInUnknownVersionsAloneAreReported) {
  Served server;
  auto serve = [&](const std::string& version,
                   std::vector<std::pair<std::string, std::string>> kinds) {
    server.answers["/apis/scheduling.k8s.io/" + version] = Served::resources(kinds);
  };
  server.answers["/apis"].body =
      R"({"groups":[{"name":"scheduling.k8s.io","versions":[{"version":"v1"},{"version":"v1beta1"},{"version":"v9"}]}]})";
  serve("v1", {{"priorityclasses", "PriorityClass"}});
  serve("v1beta1", {});
  EXPECT_EQ(unknown(server), "");
  EXPECT_THAT(server.paths(), Not(Contains(HasSubstr("podgroups"))));
  serve("v9", {{"podgroups", "PodGroup"}, {"other", "Other"}});
  EXPECT_EQ(unknown(server), "PodGroup.scheduling.k8s.io: v9;");
  serve("v1beta1", {{"podgroups", "PodGroup"}});
  EXPECT_EQ(unknown(server), "");
  EXPECT_THAT(server.paths(), Contains("/apis/scheduling.k8s.io/v1beta1/podgroups"));
  // What nothing is read of may fail.
  server.answers["/apis/scheduling.k8s.io/v9"] = {503, "", "", 0};
  serve("v1beta1", {});
  EXPECT_EQ(unknown(server), "");
}

// Half an answer would look like kinds that were taken away.
TEST(Discovery, AServerThatFailsIsNoServerWithoutKinds) {
  Served server;
  server.answers["/apis/kueue.x-k8s.io/v1beta1"] = {503, R"({"message":"not now"})", "", 0};
  EXPECT_THAT(server.paths(),
              testing::ElementsAre("/apis/kueue.x-k8s.io/v1beta1: HTTP 503: not now"));
  server.answers["/apis"] = {200, "{", "", 0};
  EXPECT_THAT(server.paths(), testing::ElementsAre(HasSubstr("/apis: found the end")));
  server.answers["/apis"] = {0, "", "no connection", 0};
  EXPECT_THAT(server.paths(), testing::ElementsAre("/apis: no connection"));
}

}  // namespace
}  // namespace trellis::discovery_test
