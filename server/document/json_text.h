// A document's value as JSON text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/document/document.h"

namespace trellis {

// Appends `text` in quotes, escaped.
void append_json_string(std::string& out, std::string_view text);

// One line, keys in the order of the input, metadata.managedFields left out.
std::string json_text(Value value);

// Fields that an object in a file may lack, but needs when it is written alone.
struct JsonAdditions {
  std::string_view api_version;  // of an item in a typed list; empty: none is added
  std::string_view kind;
  std::string_view name;  // of an object with only a generateName
};
std::string json_text(Value object, const JsonAdditions& additions);
// Leaves out these members and items, at any depth of the object.
std::string json_text(Value object, const JsonAdditions& additions,
                      std::span<const Value> left_out);

}  // namespace trellis
