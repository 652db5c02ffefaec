#include "server/devices/decode_devices.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/document/json_reader.h"

namespace trellis::decode_devices_test {
namespace {

// Decodes one object; what was wrong with it, if anything, as "$.path: found, expected".
template <class Decode>
auto decode(const std::string& text, Decode decode_object, std::vector<std::string>& errors) {
  Vocabulary vocabulary;
  Report report;
  report.begin_file("case", 0);
  FieldReader fields(vocabulary, report);
  std::vector<Diagnostic> diagnostics;
  decltype(decode_object(Value(), fields)) record;
  ReadSink sink{
      "in.json",
      &diagnostics,
      [&](Document& document, const ListHead&) { record = decode_object(document.root(), fields); },
      {}};
  read_json(text, sink);
  for (const Diagnostic& diagnostic : report.diagnostics()) {
    errors.push_back(diagnostic.path + ": " + diagnostic.found + ", expected " +
                     diagnostic.expected);
  }
  return record;
}

TEST(DecodeDevices, ReadsTheFormOfV1Beta1) {
  std::vector<std::string> errors;
  devices::Slice slice = decode(
      R"({"metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p","resourceSliceCount":1},
          "nodeName":"n","devices":[{"name":"x","basic":{"attributes":{"i":{"int":-3}},
          "capacity":{"memory":{"value":"1Gi"}}}}]}})",
      decode_slice, errors);
  ASSERT_EQ(slice.devices.size(), 1);
  EXPECT_EQ(slice.devices[0].attributes.at(0).value.int_value(), -3);
  EXPECT_EQ(slice.devices[0].capacity.at(0).value, devices::Quantity::of_units(1 << 30));
  devices::Claim claim = decode(
      R"({"metadata":{"name":"c","namespace":"ns"},"spec":{"devices":{"requests":[
          {"name":"r","deviceClassName":"gpu","count":2}]}}})",
      decode_device_claim, errors);
  ASSERT_EQ(claim.requests.size(), 1);
  EXPECT_EQ(claim.requests[0].alternatives.at(0).device_class, "gpu");
  EXPECT_EQ(claim.requests[0].alternatives.at(0).count, 2);
  EXPECT_TRUE(errors.empty());
}

TEST(DecodeDevices, WhatCannotBeReadIsReported) {
  std::vector<std::string> errors;
  devices::Slice slice = decode(
      R"({"metadata":{"name":"s"},"spec":{"driver":7,"pool":{"name":"p","generation":"1"},
          "allNodes":"yes","devices":[{"name":"x","attributes":{"v":{"version":"1.0"},"i":{"int":1.5},
          "new":{"float":1}},"capacity":{"memory":{"value":"1 Gi"}}}]}})",
      decode_slice, errors);
  EXPECT_EQ(errors.size(), 6);
  ASSERT_EQ(slice.devices.size(), 1);
  EXPECT_EQ(slice.devices[0].defect, "attribute new: unsupported attribute value");
}

}  // namespace
}  // namespace trellis::decode_devices_test
