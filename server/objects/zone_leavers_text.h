// The pods that have left a node since the last report of its zones (framework/node.h), as an
// annotation of the saved NodeResourceTopology: a list with the pods' requests by container, and
// their zones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/container_demand.h"
#include "framework/resources.h"
#include "server/document/field_reader.h"

namespace trellis {

inline constexpr std::string_view kNumaLeft = "trellis.scheduler/numa-left";

// The same text for the same pods, in whatever order.
std::string zone_leavers_text(const std::vector<ZoneLeaver>& leavers,
                              const ResourceTable& resources);

// `annotation`: absent: none. Reports a text that cannot be understood, and reads none of it.
std::vector<ZoneLeaver> read_zone_leavers(Value annotation, FieldReader& fields);

}  // namespace trellis
