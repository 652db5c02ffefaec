#include "server/kube/bind/pod_write.h"

#include "server/document/json_objects.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

std::string path_of(const PodWrite& order) {
  return "/api/v1/namespaces/" + order.name_space + "/pods/" + order.name;
}

void write_map(Json& metadata, const char* key,
               const std::vector<std::pair<std::string, std::string>>& entries) {
  for (const auto& [name, value] : entries) object_at(metadata, key)[name] = value;
}

ApiRequest binding(const PodWrite& order) {
  Json metadata = {{"namespace", order.name_space}, {"name", order.name}, {"uid", order.uid}};
  write_map(metadata, "labels", order.labels);
  write_map(metadata, "annotations", order.annotations);
  Json body = {{"apiVersion", "v1"},
               {"kind", "Binding"},
               {"metadata", std::move(metadata)},
               {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", order.node}}}};
  return {.method = "POST", .target = path_of(order) + "/binding", .body = one_line(body)};
}

Json delete_options(const PodWrite& order) {
  return {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", order.uid}}}};
}

ApiRequest eviction(const PodWrite& order) {
  Json body = {{"apiVersion", "policy/v1"},
               {"kind", "Eviction"},
               {"metadata", {{"namespace", order.name_space}, {"name", order.name}}},
               {"deleteOptions", delete_options(order)}};
  return {.method = "POST", .target = path_of(order) + "/eviction", .body = one_line(body)};
}

// The uid makes the server refuse the patch for another pod of the same name.
ApiRequest labelling(const PodWrite& order) {
  Json metadata = {{"uid", order.uid}};
  write_map(metadata, "labels", order.labels);
  Json body = {{"metadata", std::move(metadata)}};
  return {.method = "PATCH",
          .target = path_of(order),
          .body = one_line(body),
          .content_type = kMergePatch};
}

// The condition that kube-scheduler writes to pods that it preempts. Its type shows the controllers
// of the owners that the pod did not fail.
ApiRequest disruption(const PodWrite& order) {
  Json condition = {
      {"type", "DisruptionTarget"},
      {"status", "True"},
      {"reason", "PreemptionByScheduler"},
      {"message", order.cause},
      {"lastTransitionTime", format_timestamp(order.decided - order.decided % kSecondUs)}};
  Json body = {{"metadata", {{"uid", order.uid}}},
               {"status", {{"conditions", Json::array({std::move(condition)})}}}};
  return {.method = "PATCH",
          .target = path_of(order) + "/status",
          .body = one_line(body),
          .content_type = kStrategicPatch};
}

}  // namespace

std::optional<ApiRequest> first_request(const PodWrite& order, const WriteHabits& habits) {
  if (order.kind == PodWrite::Kind::Bind) {
    if (order.labels.empty() || habits.copies_labels) return std::nullopt;
    return labelling(order);
  }
  if (habits.removal == Removal::Evict) return std::nullopt;
  return disruption(order);
}

ApiRequest write_request(const PodWrite& order, Removal removal) {
  if (order.kind == PodWrite::Kind::Bind) return binding(order);
  if (removal == Removal::Evict) return eviction(order);
  return {.method = "DELETE", .target = path_of(order), .body = one_line(delete_options(order))};
}

ApiRequest read_request(const PodWrite& order) { return {.target = path_of(order), .body = ""}; }

Result<PodReply> read_pod_reply(const std::string& body) {
  const Json pod = parse_object(body);
  const Json none = Json::object();
  auto part = [&](const char* key) -> const Json& {
    if (!pod.is_object()) return none;
    auto found = pod.find(key);
    return found != pod.end() && found->is_object() ? *found : none;
  };
  PodReply reply{.uid = text_at(part("metadata"), "uid"),
                 .node = text_at(part("spec"), "nodeName"),
                 .leaving = part("metadata").contains("deletionTimestamp")};
  if (reply.uid.empty()) return error("an answer that is no pod");
  std::string phase = text_at(part("status"), "phase");
  reply.leaving = reply.leaving || phase == "Succeeded" || phase == "Failed";
  return reply;
}

}  // namespace trellis
