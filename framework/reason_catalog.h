// The catalog of reason codes, one row for each: the only place besides the enum that a new code
// must be added to.
//
// `sentence` is the text of messages, with `%` in place of the subject. Codes whose messages
// contain figures have no sentence here: server/wording makes them. Cost: O(1).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "framework/reason.h"

namespace trellis {

enum class ReasonScope : uint8_t {
  Node,      // why a node refuses a pod; the sentence follows a count of nodes
  Gang,      // why a gang waits
  Workload,  // why a workload waits or was evicted
  Move,      // why no gangs are moved for a gang
  Victim,    // why one gang is not moved for another; the sentence follows a count of gangs
};

// Whether more nodes could end the wait, so that a cluster autoscaler should see it. For a node's
// refusal they can: another node may not have its cause. For a move they can: with more nodes no
// gang has to be moved.
enum class MoreNodes : uint8_t { DoNotHelp, Help };

struct ReasonEntry {
  ReasonCode code = ReasonCode::None;
  std::string_view name;
  ReasonScope scope = ReasonScope::Gang;
  MoreNodes more_nodes = MoreNodes::DoNotHelp;
  std::string_view sentence;
  std::string_view meaning;
  std::string_view remedy;  // what a user can do
};

const ReasonEntry& reason_entry(ReasonCode code);

// Every code but None, in the enum's order.
std::span<const ReasonEntry> all_reasons();

}  // namespace trellis
