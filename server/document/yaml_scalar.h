// The type of a YAML scalar without quotes.
#pragma once

#include <string>
#include <string_view>

#include "server/document/document.h"

namespace trellis {

struct YamlScalar {
  ValueKind kind = ValueKind::String;
  bool boolean = false;
  std::string number;  // as JSON would write it
};

// Follows YAML 1.1 as the Kubernetes tools read it: `yes`, `on`, `y` are booleans, `0x10`, `010`,
// `1_000` are numbers, `~` is null; timestamps and `.inf` stay strings.
YamlScalar resolve_plain(std::string_view text);

}  // namespace trellis
