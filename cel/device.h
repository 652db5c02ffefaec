// A device as selectors read it.
#pragma once

#include <string>

#include "cel/value.h"

namespace trellis::cel {

// The variable `device` of an expression.
struct Device {
  std::string driver;
  // Domain -> name -> value. Names without a domain are in the driver's domain.
  Value attributes = Value::map({.entries = {}, .has_all_keys = true});
  Value capacity = Value::map({.entries = {}, .has_all_keys = true});
  bool allows_many_allocations = false;
};

// Fills a map of domains: `name` is "model" or "resource.kubernetes.io/pcieRoot".
class DomainMap {
 public:
  explicit DomainMap(std::string driver) : driver_(std::move(driver)) {}
  void add(std::string_view name, Value value);
  Value finish();

 private:
  std::string driver_;
  std::vector<std::pair<std::string, Map>> domains_;
};

}  // namespace trellis::cel
