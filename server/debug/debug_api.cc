#include "server/debug/debug_api.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <vector>

#include "server/debug/history_answer.h"
#include "server/debug/routes.h"
#include "server/page/page.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

HttpResponse plain(int status, const std::string& body) {
  HttpResponse response = text_response(body);
  response.status = status;
  return response;
}

bool takes_gzip(const HttpRequest& request) {
  return request.accept_encoding.find("gzip") != std::string::npos;
}

HttpResponse page_response(const PagePart& part, const HttpRequest& request) {
  HttpResponse response{.content_type = std::string(part.content_type),
                        .headers = {{"ETag", std::string(part.etag)},
                                    {"Cache-Control", "no-cache"},
                                    {"Vary", "Accept-Encoding"}}};
  bool gzip = takes_gzip(request);
  response.body = gzip ? part.gzipped : part.plain;
  if (gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

HttpResponse no_such_path(const std::string& path) {
  std::vector<std::string_view> paths = {"/",          "/healthz",  "/readyz",
                                         "/metrics",   kDebugIndex, kDifferences,
                                         kFailedCycle, kHistory,    "/debug/openapi.json"};
  for (const Route& route : debug_routes()) paths.push_back(route.path);
  std::string nearest = nearest_word(path, paths);
  std::string message = "nothing at " + path;
  if (!nearest.empty()) return error_response(404, message + ": did you mean " + nearest + "?");
  return error_response(404, message + "; /debug/ lists what there is");
}

}  // namespace

bool DebugApi::look(const std::function<void(CycleView&)>& question) {
  return sources_.observer.ask([&](const Observer::View& view) {
    view_.look_at(view);
    question(view_);
  });
}

// A failed cycle does not make the service unhealthy, since a restarted process would fail with the
// same input; the text names the failure.
std::string DebugApi::health() const {
  if (!sources_.failing || !sources_.failing()) return "ok\n";
  std::shared_ptr<const FailedCycle> failed = sources_.failed_cycle();
  std::string why = failed ? failed->why : "";
  return "ok, but the last cycle failed and nothing of it is carried out: " + why + "; " +
         std::string(kFailedCycle) + " has its input\n";
}

HttpResponse DebugApi::answer_failed_cycle() const {
  std::shared_ptr<const FailedCycle> failed;
  if (sources_.failed_cycle) failed = sources_.failed_cycle();
  if (!failed) return error_response(404, "no cycle has failed");
  if (failed->snapshot.empty()) {
    return error_response(500,
                          "the input of the cycle that failed cannot be written: " + failed->why);
  }
  return {.content_type = "application/jsonl",
          .body = failed->snapshot,
          .headers = {{"Content-Disposition", "attachment; filename=\"failed.jsonl\""}}};
}

HttpResponse DebugApi::answer_health(const HttpRequest& request) const {
  if (request.path == "/healthz") {
    return sources_.healthy() ? plain(200, health()) : plain(503, "cycles do not run\n");
  }
  if (request.path == "/readyz") {
    Standing standing{.leads = true, .text = ""};
    if (sources_.standing) standing = sources_.standing();
    // A standby is ready: it has nothing to decide.
    bool ready = !standing.leads || sources_.observer.last_number() > 0;
    if (!ready) return plain(503, "no cycle has finished yet\n");
    return plain(200, standing.text.empty() ? "ok\n" : "ok, " + standing.text + "\n");
  }
  return no_such_path(request.path);
}

HttpResponse DebugApi::answer_metrics(const HttpRequest& request) const {
  if (request.path != "/metrics") return no_such_path(request.path);
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = sources_.metrics()};
}

HttpResponse DebugApi::answer(const HttpRequest& request) {
  if (std::string_view allowed = other_methods(request); !allowed.empty()) {
    HttpResponse refused = error_response(
        405, request.method + ": " + request.path + " answers " + std::string(allowed));
    refused.headers.emplace_back("Allow", allowed);
    return refused;
  }
  if (request.path == "/metrics") return answer_metrics(request);
  if (request.path == kDifferences) {
    if (!sources_.differences)
      return error_response(404, "there is no other scheduler: no dry run");
    return {.body = sources_.differences()};
  }
  if (request.path == kFailedCycle) return answer_failed_cycle();
  if (request.path == kHistory && sources_.history != nullptr) {
    return answer_history(*sources_.history, request);
  }
  if (request.path == "/debug/openapi.json") return {.body = openapi_json()};
  if (request.path == kDebugIndex || request.path == "/debug") {
    return {.content_type = "text/html; charset=utf-8", .body = index_html()};
  }
  if (!request.segments.empty() && request.segments.front() == "debug") {
    return answer_debug(request);
  }
  for (const PagePart& part : page_parts()) {
    if (part.path == request.path) return page_response(part, request);
  }
  return answer_health(request);
}

HttpResponse DebugApi::answer_debug(const HttpRequest& request) {
  const Route* route = find_route(request);
  if (route == nullptr) return no_such_path(request.path);
  HttpResponse response;
  try {
    bool ready = look([&](CycleView& view) {
      response = route->answer(view, request);
      response.headers.emplace_back("Trellis-Cycle", std::to_string(view.cycle().number));
    });
    if (ready) return response;
  } catch (const std::exception& failure) {
    view_ = CycleView();
    if (sources_.answer_failed) sources_.answer_failed(failure.what());
    return error_response(500, std::string("this cannot be answered: ") + failure.what());
  }
  return error_response(503, "no cycle has finished yet");
}

}  // namespace trellis
