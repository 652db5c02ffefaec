// The key of an object among those of its kind: "namespace/name".
#pragma once

#include <string>
#include <string_view>

#include "framework/string_table.h"

namespace trellis {

inline std::string full_key(std::string_view name_space, std::string_view name) {
  std::string key;
  key.reserve(name_space.size() + name.size() + 1);
  key.append(name_space).append("/").append(name);
  return key;
}

inline std::string full_key(const StringTable& strings, StrId name_space, std::string_view name) {
  return full_key(strings.view(name_space), name);
}

}  // namespace trellis
