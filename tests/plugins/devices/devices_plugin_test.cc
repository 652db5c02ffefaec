// What the plugin keeps from cycle to cycle, while nodes, slices and claims change.
#include "plugins/devices/devices_plugin.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "framework/check.h"
#include "server/engine/engine.h"
#include "server/manifest/manifest.h"
#include "server/sources/object_diff.h"

namespace trellis::devices_plugin_test {
namespace {

constexpr const char* kClass = R"(
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu},
 spec: {extendedResourceName: example.com/gpu,
        selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}}
---)";

std::string node(const std::string& name, const std::string& more = "") {
  return "\n{apiVersion: v1, kind: Node, metadata: {name: " + name +
         "}, status: {allocatable: {cpu: '2', memory: 8Gi, pods: '110'" + more + "}}}\n---";
}

std::string slice(const std::string& node, const std::string& devices) {
  return "\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: " + node +
         "-gpus}, spec: {driver: gpu.example.com, nodeName: " + node + ", pool: {name: " + node +
         ", generation: 1, resourceSliceCount: 1}, devices: [" + devices + "]}}\n---";
}

std::string claim(const std::string& name) {
  return "\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + name +
         "}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n---";
}

std::string pod(const std::string& name, const std::string& spec, const std::string& amounts) {
  return "\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: u-" + name +
         "}, spec: {" + spec + "containers: [{name: m, resources: {requests: {cpu: '1'" + amounts +
         "}, limits: {memory: 1Gi" + amounts + "}}}]}}\n---";
}

std::string with_claim(const std::string& name, const std::string& claim,
                       const std::string& node = "") {
  std::string spec = "resourceClaims: [{name: c, resourceClaimName: " + claim + "}], ";
  if (!node.empty()) spec += "nodeName: " + node + ", ";
  return pod(name, spec, "");
}

std::string with_resource(const std::string& name) {
  return pod(name, "", ", example.com/gpu: '1'");
}

// A cluster as a source shows it, time after time.
class Shown {
 public:
  // What the objects are from now on; a cycle decides, and its decisions are assumed.
  void cycle(const std::string& text) {
    Manifest manifest = read_manifest_text("in.yaml", text, engine_.vocabulary());
    require(!manifest.has_errors(), "the test's objects are read without errors");
    StringTable& strings = engine_.vocabulary().strings;
    ObjectDiff diff = diff_objects(objects_, manifest.objects, strings);
    keep_places(diff, engine_.cluster(), strings);
    engine_.cluster().apply(std::move(diff.changes));
    objects_ = std::move(manifest.objects);
    now_ += kSecondUs;
    record_ = engine_.run(now_, 1);
    engine_.assume();
  }

  const PodOutcome& outcome(const std::string& pod) const {
    return record_->pods[engine_.cluster().find_pod("default", pod)];
  }
  // "": it has none.
  std::string node_of(const std::string& pod) const {
    NodeId node = outcome(pod).node;
    return node.valid() ? std::string(engine_.cluster().nodes()[node].name) : "";
  }

 private:
  Engine engine_{Config()};
  Objects objects_;
  TimeUs now_ = 1'000 * kSecondUs;
  std::shared_ptr<const CycleRecord> record_;
};

// A device plugin that serves the resource itself takes over from the claims.
TEST(DevicesPlugin, ANodeThatGetsTheResourceItself) {
  Shown shown;
  std::string before = kClass + node("n1") + slice("n1", "{name: a}") + with_resource("first");
  shown.cycle(before);
  EXPECT_EQ(shown.node_of("first"), "n1");
  EXPECT_EQ(shown.outcome("first").details().devices.size(), 1);
  shown.cycle(kClass + node("n1", ", example.com/gpu: '4'") + slice("n1", "{name: a}") +
              with_resource("first") + with_resource("second"));
  EXPECT_EQ(shown.node_of("second"), "n1");
  EXPECT_TRUE(shown.outcome("second").details().devices.empty());
}

// The pod on the node has a claim that is not allocated.
TEST(DevicesPlugin, SlicesChangeWhileClaimsAreOpen) {
  Shown shown;
  std::string fixed = kClass + node("n1") + claim("c") + claim("d") + with_claim("runs", "c", "n1");
  shown.cycle(fixed + slice("n1", "{name: a}") + with_claim("waits", "d"));
  EXPECT_EQ(shown.node_of("waits"), "");
  shown.cycle(fixed + slice("n1", "{name: a}, {name: b}") + with_claim("waits", "d"));
  EXPECT_EQ(shown.node_of("waits"), "n1");
}

TEST(DevicesPlugin, AClaimThatWasAllocatedBindsThePodsThatShareIt) {
  Shown shown;
  std::string text = kClass + node("n1") + node("n2") + slice("n1", "{name: a}") +
                     slice("n2", "{name: a}") + claim("c") + claim("d");
  shown.cycle(text + with_claim("x", "c") + with_claim("w", "c"));
  std::string both = shown.node_of("x");
  EXPECT_EQ(shown.node_of("w"), both);
  // The node is full, and the other one cannot use the claim's device.
  text += with_claim("x", "c") + with_claim("w", "c") + with_claim("z", "c");
  shown.cycle(text);
  EXPECT_EQ(shown.node_of("z"), "");
}

TEST(DevicesPlugin, AllDevicesGoAndComeBack) {
  Shown shown;
  std::string with = kClass + node("n1") + slice("n1", "{name: a}") + claim("c");
  shown.cycle(with + with_claim("x", "c"));
  EXPECT_EQ(shown.node_of("x"), "n1");
  shown.cycle(node("n1"));
  shown.cycle(with + with_claim("later", "c"));
  EXPECT_EQ(shown.node_of("later"), "n1");
}

}  // namespace
}  // namespace trellis::devices_plugin_test
