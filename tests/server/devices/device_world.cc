#include "tests/server/devices/device_world.h"

#include <gtest/gtest.h>

#include <utility>

#include "server/devices/decode_devices.h"
#include "server/document/json_reader.h"

namespace trellis {
namespace {

devices::NodeView node_of(Value object) {
  devices::NodeView node{std::string(object["metadata"]["name"].text()), {}};
  for (const Value::Member& label : object["metadata"]["labels"].members()) {
    node.labels.emplace_back(label.key, label.value.text());
  }
  return node;
}

WorldPod pod_of(Value object) {
  WorldPod pod;
  pod.name = object["metadata"]["name"].text();
  pod.node = object["spec"]["nodeName"].text();
  std::string prefix = std::string(object["metadata"]["namespace"].text()) + "/";
  for (Value entry : object["spec"]["resourceClaims"].items()) {
    std::string_view claim = entry["resourceClaimName"].text();
    for (Value status : object["status"]["resourceClaimStatuses"].items()) {
      if (status["name"].text() == entry["name"].text()) claim = status["resourceClaimName"].text();
    }
    pod.claims.push_back(prefix + std::string(claim));
  }
  return pod;
}

void add_object(Value object, DeviceWorld& world, FieldReader& fields) {
  std::string_view kind = object["kind"].text();
  if (kind == "ResourceSlice") world.slices.push_back(decode_slice(object, fields));
  if (kind == "DeviceClass") world.classes.push_back(decode_device_class(object, fields));
  if (kind == "DeviceTaintRule") world.rules.push_back(decode_taint_rule(object, fields));
  if (kind == "ResourceClaim") world.claims.push_back(decode_device_claim(object, fields));
  if (kind == "Node") world.nodes.push_back(node_of(object));
  if (kind == "Pod") world.pods.push_back(pod_of(object));
}

}  // namespace

const devices::Claim* DeviceWorld::find_claim(const std::string& full_name) const {
  for (const devices::Claim& claim : claims) {
    if (claim.name_space + "/" + claim.name == full_name) return &claim;
  }
  return nullptr;
}

devices::Holdings DeviceWorld::holdings() const {
  devices::Holdings holdings;
  for (const devices::Claim& claim : claims) {
    if (claim.allocation) holdings.add(*claim.allocation);
  }
  return holdings;
}

DeviceWorld read_device_world(const std::string& text) {
  DeviceWorld world;
  std::vector<Diagnostic> diagnostics;
  Vocabulary vocabulary;
  Report report;
  report.begin_file("case", 0);
  FieldReader fields(vocabulary, report);
  ReadSink sink{"case",
                &diagnostics,
                [&](Document& document, const ListHead&) {
                  for (Value object : document.root()["objects"].items()) {
                    add_object(object, world, fields);
                  }
                },
                {}};
  read_json(text, sink);
  EXPECT_TRUE(diagnostics.empty());
  return world;
}

}  // namespace trellis
