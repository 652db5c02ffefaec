// Amounts that are short, or would have to be freed, in the order of their names and as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/resources.h"
#include "session/explain/gang_explanation.h"
#include "session/explain/remedy.h"

namespace trellis {

// Ids follow the input's order; names do not.
std::vector<Shortage> by_name(const ResourceTable& resources, std::span<const Shortage> shortages);

// `12 GPUs`, `64Gi memory`, `1500m cpu`
std::string amount_text(const ResourceTable& resources, ResourceId resource, int64_t amount);

// `4 GPUs, 64Gi memory`; "" for none.
std::string amounts_text(const ResourceTable& resources, std::span<const Shortage> amounts);

// `3 more nodes in b1/r3, or 12 GPUs freed`; "" when nothing would help. `place`: "" to leave it
// out.
std::string remedy_text(const ResourceTable& resources, const Remedy& remedy,
                        const std::string& place);

}  // namespace trellis
