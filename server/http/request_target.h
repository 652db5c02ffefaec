// The target of a request, between method and version, in parts:
// `/debug/gangs/ns/name?format=text`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"

namespace trellis {

struct RequestTarget {
  std::string path;                   // decoded, with its slashes
  std::vector<std::string> segments;  // decoded; a slash at the end makes no empty segment
  std::map<std::string, std::string> query;
};

// Also reads the absolute form (`http://name/path`), whose name is dropped. An error names the
// part that is not understood. Cost: O(length).
Result<RequestTarget> parse_request_target(std::string_view target);

}  // namespace trellis
