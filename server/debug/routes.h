// The table of HTTP paths: requests are matched with it, and /debug/openapi.json is generated from
// it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

inline constexpr std::string_view kDebugIndex = "/debug/";
inline constexpr std::string_view kDifferences = "/debug/differences";
inline constexpr std::string_view kFailedCycle = "/debug/failed";
inline constexpr std::string_view kHistory = "/debug/history";

struct RouteParameter {
  std::string_view name;
  std::string_view summary;
};

struct Route {
  // A part in braces matches any one part, a last part `{...}` one or more.
  std::string_view path;
  std::string_view summary;
  HttpResponse (*answer)(CycleView&, const HttpRequest&);
  std::vector<RouteParameter> parameters;
  std::string_view method = "GET";  // or POST; GET answers HEAD, too
};

// The routes about the last cycle, in the order of the documentation.
std::span<const Route> debug_routes();

bool matches(const Route& route, const std::vector<std::string>& segments);

// The route of the request's path; null: there is none.
const Route* find_route(const HttpRequest& request);

// The methods that the request's path answers, if its own is none of them; else "".
std::string_view other_methods(const HttpRequest& request);

// The description of all routes, including those that need no cycle.
std::string openapi_json();

// The same as a page for browsers, with links.
std::string index_html();

}  // namespace trellis
