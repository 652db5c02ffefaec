// What a kubelet can do that others cannot: a node's status.declaredFeatures, as far as pods need
// them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trellis {

enum class NodeFeature : uint8_t { RestartAllContainers, UserNamespacesHostNetwork };

// As nodes declare them, in the order of the enumerators.
inline constexpr std::array<std::string_view, 2> kNodeFeatureNames = {
    "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"};

// A set of features.
struct NodeFeatures {
  uint8_t bits = 0;

  void add(NodeFeature feature) {
    bits = static_cast<uint8_t>(bits | (1U << static_cast<unsigned>(feature)));
  }
  void add(NodeFeatures others) { bits |= others.bits; }
  bool has_all(NodeFeatures needed) const { return (needed.bits & ~bits) == 0; }
  NodeFeatures among(NodeFeatures some) const { return {static_cast<uint8_t>(bits & some.bits)}; }
  auto operator<=>(const NodeFeatures&) const = default;
};

}  // namespace trellis
