// Points of a plugin that one plugin at most supplies.
#include "framework/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/check.h"

namespace trellis::plugin_test {
namespace {

class NoDevices : public DeviceGranter {
 public:
  GpuGrant grant(PodClassId, FitMode, NodeId, int64_t) const override { return {}; }
  GpuChoices choices(PodClassId, FitMode, NodeId) const override { return {}; }
};

TEST(Hooks, ASecondPluginForASinglePointIsABrokenCheck) {
  Hooks hooks;
  NoDevices one;
  NoDevices two;
  hooks.device_granter.supply(&one, "gpusharing");
  EXPECT_EQ(hooks.device_granter, &one);
  try {
    hooks.device_granter.supply(&two, "ours");
    FAIL() << "a second plugin supplied the point";
  } catch (const BrokenCheck& broken) {
    EXPECT_THAT(broken.what(),
                testing::AllOf(testing::HasSubstr("gpusharing"), testing::HasSubstr("ours")));
  }
}

}  // namespace
}  // namespace trellis::plugin_test
