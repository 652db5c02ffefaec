#include "server/objects/private_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"

namespace trellis::private_members_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& json) {
  Document document;
  DocumentBuilder builder(document);
  JsonScanner scanner(json);
  EXPECT_TRUE(scanner.read_value(builder)) << json;
  return json_text(document.root(), {}, private_members(document.root()));
}

const std::string kPrivatePod =
    R"({"metadata":{"labels":{"env":"prod","command":"x"},"annotations":{)"
    R"("kubectl.kubernetes.io/last-applied-configuration":"hidden"}},"spec":{"imagePullSecrets":)"
    R"([{"name":"hidden"}],"containers":[{"name":"c","env":[{"name":"A","value":"hidden"}],)"
    R"("command":["hidden"],"args":["hidden"],"envFrom":[{"secretRef":{"name":"hidden"}}],)"
    R"("livenessProbe":{"httpGet":{"httpHeaders":[{"name":"hidden"}]}},"resources":{"requests":)"
    R"({"cpu":"2"}}}],"initContainers":[{"args":["hidden"],"name":"i"}],"nodeSelector":{"env":)"
    R"("prod"},"volumes":[{"name":"v","secret":{"secretName":"hidden"}}]}})";

TEST(PrivateMembers, NoTemplateOfAnyKindShowsWhatItsContainersAreGiven) {
  for (const std::string& object :
       {R"({"kind":"Pod",)" + kPrivatePod.substr(1),
        R"({"kind":"Job","spec":{"template":)" + kPrivatePod + "}}",
        R"({"kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":)" + kPrivatePod + "}}}}",
        R"({"kind":"JobSet","spec":{"replicatedJobs":[{"template":{"spec":{"template":)" +
            kPrivatePod + "}}}]}}",
        R"({"kind":"LeaderWorkerSet","spec":{"leaderWorkerTemplate":{"workerTemplate":)" +
            kPrivatePod + "}}}",
        R"({"kind":"RayCluster","spec":{"headGroupSpec":{"rayStartParams":{"p":"hidden"},)"
        R"("template":)" +
            kPrivatePod + "}}}",
        R"({"kind":"Workload","spec":{"podSets":[{"template":)" + kPrivatePod + "}]}}",
        R"({"kind":"NotKnownHere","deep":[[{"er":)" + kPrivatePod + "}]]}"}) {
    std::string text = text_of(object);
    EXPECT_THAT(text, Not(HasSubstr("hidden")));
    EXPECT_THAT(text, HasSubstr(R"("labels":{"env":"prod","command":"x"})"));
    EXPECT_THAT(text, HasSubstr(R"("nodeSelector":{"env":"prod"})"));
    EXPECT_THAT(text,
                HasSubstr(R"("containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}])"));
  }
}

TEST(PrivateMembers, NorDoesWhatHoldsSecretsOtherwise) {
  EXPECT_EQ(
      text_of(R"({"kind":"Secret","metadata":{"name":"a"},"data":{"p":"x"},"stringData":{}})"),
      R"({"kind":"Secret","metadata":{"name":"a"}})");
  EXPECT_EQ(
      text_of(R"({"kind":"TrainJob","spec":{"trainer":{"env":[{"value":"x"}],"numNodes":2}}})"),
      R"({"kind":"TrainJob","spec":{"trainer":{"numNodes":2}}})");
  EXPECT_EQ(
      text_of(R"({"kind":"RayJob","spec":{"entrypoint":"x","runtimeEnvYAML":"y","suspend":true}})"),
      R"({"kind":"RayJob","spec":{"suspend":true}})");
}

}  // namespace
}  // namespace trellis::private_members_test
