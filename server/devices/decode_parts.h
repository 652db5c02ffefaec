// Parts that slices and claims have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/model.h"
#include "server/document/document.h"
#include "server/document/field_reader.h"

namespace trellis::device_parts {

std::string text(Value parent, std::string_view key, FieldReader& fields);
std::vector<std::string> texts(Value parent, std::string_view key, FieldReader& fields);
// Of 64 bits.
int64_t integer(Value value, int64_t otherwise, FieldReader& fields);
devices::Quantity quantity(Value value, FieldReader& fields);
// Name -> amount, or name -> {value: amount}.
devices::Amounts amounts(Value map, FieldReader& fields);
devices::Taint taint(Value value, FieldReader& fields);
std::vector<devices::Toleration> tolerations(Value parent, FieldReader& fields);
std::vector<devices::NodeTerm> node_terms(Value selector, FieldReader& fields);
std::vector<devices::Config> configs(Value parent, FieldReader& fields);

}  // namespace trellis::device_parts
