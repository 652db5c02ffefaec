// Parts that slices and claims have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/model.h"
#include "server/document/document.h"

namespace trellis::device_parts {

std::string text(Value value);
std::vector<std::string> texts(Value list);
int64_t integer(Value value, int64_t otherwise);
devices::Quantity quantity(Value value);
// Name -> amount, or name -> {value: amount}.
devices::Amounts amounts(Value map);
devices::Taint taint(Value value);
std::vector<devices::Toleration> tolerations(Value list);
devices::NodeTerm node_term(Value term);
std::vector<devices::NodeTerm> node_terms(Value selector);
std::vector<devices::Config> configs(Value list);

}  // namespace trellis::device_parts
