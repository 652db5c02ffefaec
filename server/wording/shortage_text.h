// Writes amounts that are missing, or would have to be freed, in the order of the resources' names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/resources.h"
#include "session/explain/gang_explanation.h"
#include "session/explain/remedy.h"

namespace trellis {

// Sorts the amounts by name, since ids depend on the order of the input.
std::vector<Shortage> by_name(const ResourceTable& resources, std::span<const Shortage> shortages);

// `12 GPUs`, `64Gi memory`, `1500m cpu`
std::string amount_text(const ResourceTable& resources, ResourceId resource, int64_t amount);

// `4 GPUs, 64Gi memory`; "" without amounts.
std::string amounts_text(const ResourceTable& resources, std::span<const Shortage> amounts);

// `3 more nodes in b1/r3, or 12 GPUs freed`; "" when nothing would help. `place`: the domain, or ""
// to leave it out.
std::string remedy_text(const ResourceTable& resources, const Remedy& remedy,
                        const std::string& place);

}  // namespace trellis
