// An assignment as JSON text, in either version of Kueue's API. Domains stay in their order.
#pragma once

#include <cstdint>
#include <string>

#include "framework/string_table.h"
#include "framework/workload.h"

namespace trellis {

enum class AssignmentForm : uint8_t {
  Compact,  // v1beta2: slices
  Plain,    // v1beta1: a list of domains
};

// Appends one line. For domains in order the compact form is Kueue's own, byte for byte: the
// shorter text of the two ways to cut it into slices. O(text). REQUIRES: each domain once, at most
// kMostSlices * kMostSliceDomains of them.
void append_assignment(std::string& out, const TopologyAssignment& assignment,
                       const StringTable& strings, AssignmentForm form);

}  // namespace trellis
