#include "server/kube/status/pod_status.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"
#include "server/document/timestamp.h"
#include "server/kube/status/waiting_reasons.h"

namespace trellis {
namespace {

constexpr const char* kNominatedNode = "nominatedNodeName";
// What cluster autoscalers look for.
constexpr std::string_view kCallForNodes = "Unschedulable";

bool is_ours_to_say(const Pod& pod, const PodOutcome& outcome) {
  bool waits = outcome.status == PodStatus::Pending || outcome.status == PodStatus::Pipelined;
  // The API server reports gates, and other schedulers their pods.
  bool spoken_for = pod.hold == PodHold::SchedulingGates || pod.hold == PodHold::OtherScheduler;
  return waits && pod.status == PodStatus::Pending && !spoken_for;
}

bool has_gates(const Json& spec) {
  auto gates = spec.find("schedulingGates");
  return gates != spec.end() && gates->is_array() && !gates->empty();
}

NodeId promised_node(const PodOutcome& outcome) {
  return outcome.status == PodStatus::Pipelined ? outcome.node : NodeId();
}

// null: the status has no condition of this type.
const Json* find_condition(const Json& status, std::string_view type) {
  auto list = status.find("conditions");
  if (list == status.end() || !list->is_array()) return nullptr;
  for (const Json& condition : *list) {
    if (condition.is_object() && holds_text(condition, "type", type)) return &condition;
  }
  return nullptr;
}

struct WaitingReason {
  std::string reason;
  std::string message;
};

// The condition PodScheduled; null: the status contains it already.
Json waiting_condition(const Json& status, const WaitingReason& waiting, TimeUs now) {
  const Json* known = find_condition(status, "PodScheduled");
  bool waits = known != nullptr && holds_text(*known, "status", "False");
  bool same = waits && holds_text(*known, "reason", waiting.reason) &&
              holds_text(*known, "message", waiting.message);
  if (same) return nullptr;
  std::string since = waits ? text_at(*known, "lastTransitionTime") : std::string();
  if (since.empty()) since = format_timestamp(now - now % kSecondUs);
  return {{"type", "PodScheduled"},
          {"status", "False"},
          {"reason", waiting.reason},
          {"message", waiting.message},
          {"lastTransitionTime", since}};
}

}  // namespace

void PodStatuses::look(const StatusView& view, const GangReasons& reasons,
                       std::span<const PodId> pods, std::vector<WriteKey>& due_writes) {
  const Cluster& cluster = view.cluster;
  const StringTable& strings = cluster.vocabulary().strings;
  for (PodId id : pods) {
    const PodSlot& slot = cluster.pods()[id];
    const PodOutcome& outcome = view.record.pods[id];
    if (!cluster.alive(id) || !is_ours_to_say(slot.pod, outcome)) {
      written_.erase(id.value);
      continue;
    }
    Written wanted{.pod = std::hash<std::string>()(slot.pod.uid),
                   .reason = pod_reason(reasons, slot).version,
                   .promised = promised_node(outcome)};
    Written before = std::exchange(written_[id.value], wanted);
    if (before == wanted) continue;
    bool first = before.pod != wanted.pod;
    bool silent = wanted.reason == 0 && !wanted.promised.valid();
    if (first && silent && slot.pod.promised.empty()) continue;
    due_writes.push_back({.kind = "Pod",
                          .name_space = std::string(strings.view(slot.pod.name_space)),
                          .name = slot.pod.name,
                          .part = WritePart::Status});
  }
}

std::optional<ApiRequest> pod_status_request(const StatusView& view, const GangReasons& reasons,
                                             const WriteKey& key) {
  PodId id = view.cluster.find_pod(key.name_space, key.name);
  if (!id.valid() || !view.record.pods.contains(id)) return std::nullopt;
  const PodSlot& slot = view.cluster.pods()[id];
  const PodOutcome& outcome = view.record.pods[id];
  if (!is_ours_to_say(slot.pod, outcome)) return std::nullopt;
  std::optional<LiveObject> object =
      view.objects.find(key.group, key.kind, key.name_space, key.name);
  if (!object) return std::nullopt;
  Json pod = parse_object(object->text);
  if (!pod.is_object()) return std::nullopt;
  Json& metadata = object_at(pod, "metadata");
  bool is_another = text_at(metadata, "uid") != slot.pod.uid;
  if (is_another || metadata.contains("deletionTimestamp")) return std::nullopt;
  Json& spec = object_at(pod, "spec");
  if (!text_at(spec, "nodeName").empty() || has_gates(spec)) return std::nullopt;

  Json& status = object_at(pod, "status");
  Json wanted = Json::object();
  if (PodReason reason = pod_reason(reasons, slot); reason.version != 0) {
    WaitingReason waiting{
        .reason = std::string(reason.calls_for_nodes ? kCallForNodes : to_string(reason.code)),
        .message = pod_reason_text(view.cluster, reasons, slot)};
    Json condition = waiting_condition(status, waiting, view.now);
    if (!condition.is_null()) wanted["conditions"] = Json::array({std::move(condition)});
  }
  NodeId promised = promised_node(outcome);
  std::string node = promised.valid() ? view.cluster.nodes()[promised].name : std::string();
  if (text_at(status, kNominatedNode) != node) {
    wanted[kNominatedNode] = node.empty() ? Json(nullptr) : Json(node);
  }
  if (wanted.empty()) return std::nullopt;
  Json patch = {{"metadata", {{"uid", slot.pod.uid}}}, {"status", std::move(wanted)}};
  return ApiRequest{.method = "PATCH",
                    .target = object->path + "/status",
                    .body = one_line(patch),
                    .content_type = kStrategicPatch};
}

}  // namespace trellis
