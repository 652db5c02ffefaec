// Device selectors: whatever the text is, it compiles or not, runs or fails, and ends.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cel/expression.h"
#include "tests/fuzz/reading.h"

namespace {

using namespace trellis::cel;

Device device_of_tests() {
  Device device{.driver = "gpu.example.com"};
  DomainMap attributes(device.driver);
  attributes.add("model", Value::string("NVIDIA H100"));
  attributes.add("index", Value::integer(3));
  attributes.add("healthy", Value::boolean(true));
  attributes.add("driverVersion", Value::semver({.numbers = {570, 86, 10}}));
  attributes.add("resource.kubernetes.io/numaNode", Value::list({Value::integer(0)}));
  DomainMap capacity(device.driver);
  capacity.add("memory", Value::quantity(Quantity::of_units(1 << 30)));
  device.attributes = attributes.finish();
  device.capacity = capacity.finish();
  return device;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Device device = device_of_tests();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Expression selector = Expression::compile(text, Purpose::Selector);
  if (selector.valid()) {
    Match first = selector.matches(device);
    Match second = selector.matches(device);
    trellis::fuzz::require(first.matches == second.matches && first.error == second.error,
                           "the same answer twice");
  }
  Expression derived = Expression::compile(text, Purpose::DerivedAttribute);
  if (derived.valid()) static_cast<void>(derived.value(device));
  return 0;
}
