// A request to the API server.
#pragma once

#include <string>
#include <string_view>

namespace trellis {

// The content types of a request's body.
inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

struct ApiRequest {
  std::string method = "GET";
  std::string target;                     // path and query
  std::string body;                       // empty: none
  std::string_view content_type = kJson;  // of the body
};

}  // namespace trellis
