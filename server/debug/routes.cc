#include "server/debug/routes.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "server/config/config_json.h"
#include "server/config/config_printer.h"
#include "server/debug/list_answers.h"
#include "server/debug/parameters.h"
#include "server/debug/pod_answers.h"
#include "server/debug/session_answer.h"
#include "server/debug/topology_answer.h"
#include "server/debug/whatif_answer.h"
#include "server/debug/workload_answers.h"
#include "server/document/json_writer.h"
#include "server/explain/explain_answer.h"
#include "server/serve/snapshot_text.h"
#include "server/version.h"
#include "server/view/decisions.h"
#include "server/view/decisions_table.h"

namespace trellis {
namespace {

constexpr int64_t kPodsShown = 100;
constexpr RouteParameter kFormat = {"format", "json (default) or text: the table that people read"};
constexpr RouteParameter kBy = {"by", "of columns: also the gang, queue, state or age of each row"};
constexpr RouteParameter kAfter = {"after", "only cycles after this number"};
constexpr RouteParameter kOrder = {
    "order", "name (default), status: what waits first, or waiting: what waits longest first"};

HttpResponse answer_session(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  int64_t limit = parameters.count("limit", kPodsShown);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  if (form == AnswerForm::JsonText) return {.body = session_json(view, limit)};
  return text_response(session_text(view));
}

HttpResponse answer_decisions(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  if (form == AnswerForm::Text) {
    return text_response(decisions_table(view.cluster(), view.record(), Colours::Off));
  }
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  write_decisions(out, view.cluster(), view.record(), 1);
  return {.body = sink.text()};
}

HttpResponse explained(CycleView& view, const HttpRequest& request,
                       const ExplainQuestion& question) {
  Parameters parameters(request);
  bool text = parameters.form(kJsonOrText) == AnswerForm::Text;
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  StringSink sink;
  AnswerStyle style{.format = text ? OutputFormat::Text : OutputFormat::JsonText};
  std::string error = explain(question, view.engine(), view.record(), style, sink);
  if (!error.empty()) return error_response(404, error);
  return text ? text_response(sink.text()) : HttpResponse{.body = sink.text()};
}

HttpResponse answer_gang(CycleView& view, const HttpRequest& request) {
  return explained(view, request,
                   {.kind = ExplainQuestion::Kind::Gang,
                    .name_space = request.segments[2],
                    .name = request.segments[3]});
}

HttpResponse answer_pod(CycleView& view, const HttpRequest& request) {
  return explained(view, request,
                   {.kind = ExplainQuestion::Kind::Pod,
                    .name_space = request.segments[2],
                    .name = request.segments[3]});
}

HttpResponse answer_workload(CycleView& view, const HttpRequest& request) {
  return explained(view, request,
                   {.kind = ExplainQuestion::Kind::Workload,
                    .name_space = request.segments[2],
                    .name = request.segments[3]});
}

HttpResponse answer_node(CycleView& view, const HttpRequest& request) {
  return explained(view, request,
                   {.kind = ExplainQuestion::Kind::Node, .name = request.segments[2]});
}

HttpResponse answer_queue(CycleView& view, const HttpRequest& request) {
  return explained(view, request,
                   {.kind = ExplainQuestion::Kind::Queue, .name = request.segments[2]});
}

HttpResponse answer_domain(CycleView& view, const HttpRequest& request) {
  ExplainQuestion question{.kind = ExplainQuestion::Kind::Domain, .name = request.segments[2]};
  question.path.assign(request.segments.begin() + 3, request.segments.end());
  return explained(view, request, question);
}

HttpResponse answer_config(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Config& config = view.engine().config();
  if (form == AnswerForm::Text) {
    return text_response(print_config(config));
  }
  std::string cycle = std::to_string(view.cycle().number);
  return {.body = "{\"cycle\":" + cycle + ",\"config\":" + config_json(config) + "}\n"};
}

HttpResponse answer_snapshot(CycleView& view, const HttpRequest& request) {
  if (std::string error = Parameters(request).error(); !error.empty()) {
    return error_response(400, error);
  }
  StringSink sink;
  write_snapshot(sink, {view.engine(), view.cycle(), view.texts()});
  return {.content_type = "application/jsonl",
          .body = sink.text(),
          .headers = {{"Content-Disposition", "attachment; filename=\"snapshot.jsonl\""}}};
}

const std::vector<Route>& routes() {
  static const std::vector<Route> kRoutes = {
      {"/debug/session",
       "The last cycle: times, a summary, what it decided, who waits why",
       answer_session,
       {kFormat, {"limit", "of the pods that were decided about (100)"}}},
      {"/debug/decisions",
       "All outcomes, as schedule -o json prints them",
       answer_decisions,
       {kFormat}},
      {"/debug/topology",
       "All topologies, domain by domain: used, free, and the pods that still fit",
       answer_topologies,
       {kFormat,
        {"level", "only this level of each: a label or its last part, root, or node"},
        {"classes", "none: without the pods that still fit"}}},
      {"/debug/topology/{topology}",
       "One topology, or a part of it",
       answer_topology,
       {{"format", "json (default), text, or columns: for many rows of one level"},
        {"level", "only this level: a label or its last part, root, or node"},
        {"parent", "only what is below this domain: b1/r3"},
        kBy,
        {"classes", "none: without the pods that still fit"}}},
      {"/debug/domains/{topology}", "The root of a topology", answer_domain, {kFormat}},
      {"/debug/domains/{topology}/{...}",
       "One domain: who is in it, and what it could still take",
       answer_domain,
       {kFormat}},
      {"/debug/gangs",
       "All gangs by namespace and name",
       answer_gangs,
       {kFormat,
        {"status",
         "only these: Running, Scheduled, Pipelined, Pending, Evicted, Releasing or Finished"},
        {"queue", "only those of this queue"},
        {"q", "only those whose name, queue, place and reasons have all of these words"},
        kOrder,
        {"limit", "at the most so many (1000)"}}},
      {"/debug/gangs/{namespace}/{gang}",
       "One gang: why it is where it is or waits, domain by domain",
       answer_gang,
       {kFormat}},
      {"/debug/pods",
       "All pods by namespace and name, with their nodes",
       answer_pods,
       {kFormat,
        {"gang", "only those of this gang: namespace/name"},
        {"workload", "only those of this workload: namespace/name"},
        {"topology", "also the domain of each pod's node in this topology"},
        {"status",
         "only these: Pending, Bound, Pipelined, Running, Evicted, Releasing, Succeeded or Failed"},
        {"q", "only those whose name, gang and node have all of these words"},
        {"limit", "at the most so many (1000)"}}},
      {"/debug/pods/{namespace}/{pod}", "One pod, node by node", answer_pod, {kFormat}},
      {"/debug/workloads",
       "All workloads by namespace and name",
       answer_workloads,
       {kFormat,
        {"status", "only these: Pending, QuotaReserved, Admitted, Evicted or Finished"},
        {"queue", "only those of this LocalQueue"},
        {"q", "only those whose name, queue, places and reasons have all of these words"},
        kOrder,
        {"limit", "at the most so many (1000)"}}},
      {"/debug/workloads/{namespace}/{workload}",
       "One workload: what the quotas say of each flavor, and its domains",
       answer_workload,
       {kFormat}},
      {"/debug/nodes",
       "All nodes by name, with what is used and free",
       answer_nodes,
       {{"format", "json (default), text, or columns"},
        kBy,
        {"status", "only these: Open or Closed"},
        {"q", "only those whose name and labels have all of these words"},
        {"limit", "at the most so many (1000; of columns all)"}}},
      {"/debug/nodes/{node}",
       "One node: what is on it, and what it could still take",
       answer_node,
       {kFormat}},
      {"/debug/queues",
       "The queues: what they may have, have, and ask for",
       answer_queues,
       {kFormat}},
      {"/debug/queues/{queue}",
       "One queue: its shares, why it is over or under, and its gangs in line",
       answer_queue,
       {kFormat}},
      {"/debug/config", "The effective configuration", answer_config, {kFormat}},
      {"/debug/snapshot",
       "The exact input of the last cycle, as JSON lines that -f reads",
       answer_snapshot,
       {}},
      {"/debug/whatif",
       "What a change would alter in the last cycle: who gets in, who is pushed out or moves. The "
       "body has objects that come to the cluster, as YAML or JSON; it may be empty",
       answer_whatif,
       {kFormat,
        {"remove", "gang/NAMESPACE/NAME, workload/... or an owner's kind/...; several with commas"},
        {"cordon", "nodes or domains (TOPOLOGY/PATH), with commas: they take no more pods"},
        {"drain", "the same, and their pods wait again"}},
       "POST"}};
  return kRoutes;
}

// The paths that the service answers without a cycle.
constexpr std::pair<std::string_view, std::string_view> kOtherPaths[] = {
    {"/", "The page"},
    {"/healthz", "ok while the process lives and its cycles run"},
    {"/readyz", "ok once a cycle has finished"},
    {"/metrics", "Metrics in the text format of Prometheus"},
    {kDebugIndex, "These paths, for browsers"},
    {kDifferences, "Where the scheduler beside a dry run bound pods otherwise than we would have"},
    {kHistory, "The last 1,000 cycles: what was used, waited, was decided; and the last events"},
    {kFailedCycle, "The exact input of the last cycle that failed, as JSON lines that -f reads"},
    {"/debug/openapi.json", "This description"}};

bool is_hole(std::string_view part) { return part.starts_with('{'); }

nlohmann::ordered_json operation(std::string_view path, std::string_view summary,
                                 const std::vector<RouteParameter>& parameters,
                                 std::string_view method = "GET") {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& part : split_path(path)) {
    if (!is_hole(part)) continue;
    std::string name = part == "{...}" ? "path" : part.substr(1, part.size() - 2);
    list.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  for (const RouteParameter& parameter : parameters) {
    list.push_back({{"name", parameter.name},
                    {"in", "query"},
                    {"description", parameter.summary},
                    {"schema", {{"type", "string"}}}});
  }
  nlohmann::ordered_json responses = {{"200", {{"description", "OK"}}}};
  if (path.starts_with("/debug/")) {
    responses["400"] = {{"description", "A parameter that is not understood"}};
    responses["404"] = {{"description", "Nothing of that name; the nearest is said"}};
    responses["500"] = {
        {"description", "A check of the program broke; the next question is asked afresh"}};
    responses["503"] = {{"description", "No cycle has finished yet"}};
  }
  nlohmann::ordered_json one = {{"summary", summary}, {"responses", std::move(responses)}};
  if (!list.empty()) one["parameters"] = std::move(list);
  if (method == "POST") one["requestBody"] = {{"content", {{"*/*", nlohmann::json::object()}}}};
  return {{method == "POST" ? "post" : "get", std::move(one)}};
}

}  // namespace

std::span<const Route> debug_routes() { return routes(); }

bool matches(const Route& route, const std::vector<std::string>& segments) {
  std::vector<std::string> parts = split_path(route.path);
  bool open_ended = parts.back() == "{...}";
  if (open_ended ? segments.size() < parts.size() : segments.size() != parts.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!is_hole(parts[i]) && parts[i] != segments[i]) return false;
  }
  return true;
}

const Route* find_route(const HttpRequest& request) {
  for (const Route& route : routes()) {
    if (matches(route, request.segments)) return &route;
  }
  return nullptr;
}

std::string_view other_methods(const HttpRequest& request) {
  const Route* route = find_route(request);
  bool takes_post = route != nullptr && route->method == "POST";
  if ((request.method == "POST") == takes_post) return "";
  return takes_post ? "POST" : "GET, HEAD";
}

std::string index_html() {
  std::string rows;
  auto add = [&](std::string_view path, std::string_view summary, bool is_link) {
    std::string cell = "<code>" + std::string(path) + "</code>";
    if (is_link) cell = "<a href=\"" + std::string(path) + "\">" + cell + "</a>";
    rows += "<tr><td>" + cell + "<td>" + std::string(summary) + "\n";
  };
  for (const Route& route : routes()) {
    bool is_link = route.method == "GET" && route.path.find('{') == std::string_view::npos;
    add(route.path, route.summary, is_link);
  }
  for (const auto& [path, summary] : kOtherPaths) add(path, summary, true);
  return "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>Trellis: "
         "paths</title>\n"
         "<style>body{font:15px system-ui,sans-serif;margin:2em}td{padding:.2em 2em .2em 0}"
         "</style>\n<h1>Paths of Trellis</h1>\n<table>\n" +
         rows + "</table>\n";
}

std::string openapi_json() {
  nlohmann::ordered_json paths = nlohmann::ordered_json::object();
  for (const auto& [path, summary] : kOtherPaths) {
    std::vector<RouteParameter> parameters;
    if (path == kHistory) parameters = {kAfter, {"limit", "at the most so many (1000)"}};
    paths[std::string(path)] = operation(path, summary, parameters);
  }
  for (const Route& route : routes()) {
    std::string path(route.path);
    if (path.ends_with("{...}")) path.replace(path.size() - 5, 5, "{path}");
    paths[path] = operation(route.path, route.summary, route.parameters, route.method);
  }
  nlohmann::ordered_json document = {
      {"openapi", "3.0.3"},
      {"info",
       {{"title", "trellis serve"},
        {"version", std::string(kVersion)},
        {"description", "What the last finished cycle of a gang scheduler saw and decided."}}},
      {"paths", std::move(paths)}};
  return document.dump(1) + "\n";
}

}  // namespace trellis
