// What an expression reads of a device, found without running it.
//
// Devices that agree in what an expression reads get the same answer, so that it is evaluated once
// for all of them.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "cel/ast.h"

namespace trellis::cel {

// An attribute or a capacity.
struct ReadName {
  bool of_capacity = false;
  // "": the driver's.
  std::string domain;
  std::string name;
  auto operator<=>(const ReadName&) const = default;
};

struct Reads {
  // Something that is not known beforehand.
  bool everything = false;
  bool driver = false;
  bool sharing = false;
  // In order, each once.
  std::vector<ReadName> names;
};

// REQUIRES: a checked tree. Cost: linear.
Reads reads_of(const Tree& tree);

}  // namespace trellis::cel
