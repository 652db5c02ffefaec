// A cluster as objects: what a user hands to `-f`, with the configuration beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trellis::worlds {

struct World {
  std::string name;
  std::vector<nlohmann::json> objects;
  std::string config;  // YAML; empty: the defaults
};

// One object a line.
std::string json_lines(const std::vector<nlohmann::json>& objects);

// The inputs of tests/scenarios and tests/conformance, small ones alone: real objects of every kind
// that is read. By name.
std::vector<World> shipped_worlds();

}  // namespace trellis::worlds
