#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_node_request_test {
namespace {

std::string request(const std::string& conditions, const std::string& gang = "train") {
  return "apiVersion: autoscaling.x-k8s.io/v1\nkind: ProvisioningRequest\nmetadata: {name: r, "
         "annotations: {trellis.scheduler/gang: " +
         gang + "}}\nspec: {provisioningClassName: c, podSets: []}\nstatus: {conditions: [" +
         conditions + "]}\n";
}

std::string condition(const std::string& type, const std::string& status) {
  return "{type: " + type + ", status: '" + status + "', reason: Of" + type +
         ", message: m, lastTransitionTime: '2026-01-01T00:00:00Z'},";
}

NodeRequest read_one(const std::string& conditions) {
  Reading reading = read(request(conditions));
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  return reading.manifest.objects.node_requests.at(0);
}

TEST(DecodeNodeRequest, TheLastStateOfItsLifeCounts) {
  NodeRequest made = read_one("");
  EXPECT_EQ(made.state, NodeRequestState::Unanswered);
  EXPECT_EQ(made.class_name, "c");
  std::string so_far = condition("Accepted", "True");
  EXPECT_EQ(read_one(so_far).state, NodeRequestState::Accepted);
  EXPECT_EQ(read_one(so_far + condition("Provisioned", "False")).state,
            NodeRequestState::NotProvisioned);
  so_far = condition("Provisioned", "True") + so_far;
  NodeRequest found = read_one(so_far + condition("Failed", "False"));
  EXPECT_EQ(found.state, NodeRequestState::Provisioned);
  EXPECT_EQ(found.reason, "OfProvisioned");
  EXPECT_EQ(found.message, "m");
  EXPECT_NE(found.since, kNoTime);
  EXPECT_EQ(read_one(so_far + condition("BookingExpired", "True")).state,
            NodeRequestState::BookingExpired);
  EXPECT_EQ(read_one(so_far + condition("CapacityRevoked", "True")).state,
            NodeRequestState::CapacityRevoked);
  EXPECT_EQ(read_one(so_far + condition("Failed", "True")).state, NodeRequestState::Failed);
}

TEST(DecodeNodeRequest, OnlyThoseThatWereMadeForAGang) {
  EXPECT_TRUE(read(request("", "''")).manifest.objects.node_requests.empty());
}

}  // namespace
}  // namespace trellis::test::decode_node_request_test
