#include <gtest/gtest.h>

#include <string>

#include "server/kube/bind/evictions.h"
#include "tests/server/kube/status/live_world.h"

namespace trellis::suspended_pods_test {
namespace {

class SuspendedPods : public testing::Test {
 protected:
  bool leave_with(const std::string& api_version, const std::string& kind) {
    world_.put(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, "
        "ownerReferences: [{apiVersion: v1, kind: Node, name: n}, {apiVersion: " +
        api_version + ", kind: " + kind + ", name: o, controller: true}]}}");
    return leaves_by_suspension(world_, "default", "p");
  }

  test::LiveWorld world_;
};

TEST_F(SuspendedPods, AreThoseOfOwnersThatCanBe) {
  EXPECT_TRUE(leave_with("batch/v1", "Job"));
  EXPECT_TRUE(leave_with("kubeflow.org/v1", "PyTorchJob"));
  EXPECT_FALSE(leave_with("apps/v1", "StatefulSet"));
  EXPECT_FALSE(leave_with("example.com/v1", "Job"));
}

TEST_F(SuspendedPods, ArePodsOfAnOwner) {
  EXPECT_FALSE(leaves_by_suspension(world_, "default", "p"));
  world_.put("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}}");
  EXPECT_FALSE(leaves_by_suspension(world_, "default", "p"));
}

}  // namespace
}  // namespace trellis::suspended_pods_test
