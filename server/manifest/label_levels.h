// A topology made from labels of the nodes, for input that has none.
//
// Cost: O(labels of all nodes).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"
#include "framework/string_table.h"
#include "server/objects/records.h"

namespace trellis {

// The labels of the nodes that say where they are, coarsest first: those with which topograph,
// cloud providers and Kubernetes describe a network. Of several families of them all; labels with
// fewer values are coarser. Empty where only regions and zones are known.
std::vector<std::string> network_labels(std::span<const NodeRecord> nodes,
                                        const StringTable& strings);

// The labels that the words mean, in their order: a label of a node, or the last part of one (after
// '/') that is unique. The error says which word is none.
Result<std::vector<std::string>> labels_of_words(std::span<const std::string> words,
                                                 std::span<const NodeRecord> nodes,
                                                 const StringTable& strings);

// A Topology object with these levels, coarsest first, as JSON.
std::string topology_of_labels(std::span<const std::string> labels);

inline constexpr std::string_view kTopologyOfLabels = "levels";  // its name

}  // namespace trellis
