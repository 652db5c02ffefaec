#include "server/kube/status/cycle_events.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"
#include "server/kube/bind/evictions.h"
#include "server/kube/status/waiting_reasons.h"

namespace trellis {
namespace {

EventSubject subject_of(const Pod& pod, const StringTable& strings) {
  return {.api_version = "v1",
          .kind = "Pod",
          .name_space = std::string(strings.view(pod.name_space)),
          .name = pod.name,
          .uid = pod.uid};
}

// The node in the pod's newest object; empty: none. nullopt: the pod is gone, or was replaced.
std::optional<std::string> node_by_now(const StatusView& view, const EventSubject& subject) {
  auto object = view.objects.find("", "Pod", subject.name_space, subject.name);
  if (!object) return std::nullopt;
  Json pod = parse_object(object->text);
  if (!pod.is_object() || text_at(object_at(pod, "metadata"), "uid") != subject.uid) {
    return std::nullopt;
  }
  return text_at(object_at(pod, "spec"), "nodeName");
}

std::string stale_note(const Cluster& cluster, GangId gang) {
  const std::string begin = "Runs below its minimum: ";
  auto runs = std::ranges::count_if(cluster.pods_of(gang), [&](PodId pod) {
    return cluster.pods()[pod].pod.status == PodStatus::Running;
  });
  int32_t needed = cluster.gangs()[gang].min_member;
  if (runs >= needed) return begin + "a subgroup has fewer pods than it needs";
  return begin + std::to_string(runs) + (runs == 1 ? " pod runs" : " pods run") + ", it needs " +
         std::to_string(needed);
}

// nullopt: the gang has no PodGroup.
std::optional<EventSubject> pod_group_of(const StatusView& view, GangId id) {
  const Gang& gang = view.cluster.gangs()[id];
  std::string space(view.cluster.vocabulary().strings.view(gang.name_space));
  if (!view.objects.find("scheduling.run.ai", "PodGroup", space, gang.name)) return std::nullopt;
  return EventSubject{"scheduling.run.ai/v2alpha2", "PodGroup", space, gang.name, gang.uid};
}

// Pods that are held by gates, other schedulers or workloads are reported by other programs.
bool speaks_of(PodHold hold) {
  return hold != PodHold::SchedulingGates && hold != PodHold::OtherScheduler &&
         hold != PodHold::Workload;
}

void report_waiting_gangs(const StatusView& view, const GangReasons& reasons,
                          std::vector<ClusterEvent>& events) {
  for (GangId id : reasons.changed()) {
    const GangReasons::Explanation& explanation = reasons.of(id);
    if (explanation.version == 0) continue;
    std::optional<EventSubject> subject = pod_group_of(view, id);
    if (!subject) continue;
    events.push_back({.subject = std::move(*subject),
                      .type = EventType::Normal,
                      .reason = "Unschedulable",
                      .action = "Scheduling",
                      .note = explanation.text});
  }
}

}  // namespace

std::vector<ClusterEvent> eviction_events(const Cluster& cluster, const CycleRecord& record) {
  std::vector<ClusterEvent> events;
  for (const Decision& decision : record.decisions) {
    if (decision.kind != Decision::Kind::Evict) continue;
    bool stale = is_of_stale_gang(decision.action);
    events.push_back(
        {.subject = subject_of(cluster.pods()[decision.pod].pod, cluster.vocabulary().strings),
         .type = stale ? EventType::Warning : EventType::Normal,
         .reason = stale ? "StaleGang" : "Preempted",
         .action = "Evicting",
         .note = eviction_note(cluster, decision)});
  }
  return events;
}

void CycleEvents::look_at_pod(const StatusView& view, const GangReasons& reasons, PodId id,
                              std::vector<ClusterEvent>& events) {
  const PodSlot& slot = view.cluster.pods()[id];
  const PodOutcome& outcome = view.record.pods[id];
  Seen& seen = seen_[id];
  size_t uid = std::hash<std::string>()(slot.pod.uid);
  if (seen.pod != uid) seen = {uid, Place::Unknown, ReasonCode::None};
  if (!speaks_of(slot.pod.hold)) return;
  if (outcome.status == PodStatus::Bound || outcome.status == PodStatus::Running) {
    bool is_new = seen.place == Place::Nowhere || (seen.place == Place::Unknown && looked_);
    if (is_new) decided_.push_back(id);
    if (is_new || seen.place == Place::Unknown) {
      seen.place = is_new ? Place::Decided : Place::There;
    }
    return;
  }
  if (outcome.status != PodStatus::Pending) return;
  seen.place = Place::Nowhere;
  PodReason reason = pod_reason(reasons, slot);
  if (reason.version == 0 || reason.code == seen.reported) return;
  seen.reported = reason.code;
  events.push_back({.subject = subject_of(slot.pod, view.cluster.vocabulary().strings),
                    .type = EventType::Warning,
                    .reason = "FailedScheduling",
                    .action = "Scheduling",
                    .note = pod_reason_text(view.cluster, reasons, slot)});
}

// Reports the decided pods whose objects show their node by now.
void CycleEvents::report_bound(const StatusView& view, std::vector<ClusterEvent>& events) {
  std::vector<PodId> still;
  for (PodId id : decided_) {
    if (!view.cluster.alive(id) || seen_[id].place != Place::Decided) continue;
    const Pod& pod = view.cluster.pods()[id].pod;
    EventSubject subject = subject_of(pod, view.cluster.vocabulary().strings);
    std::optional<std::string> node = node_by_now(view, subject);
    if (!node) continue;
    if (node->empty()) {
      still.push_back(id);
      continue;
    }
    seen_[id].place = Place::There;
    std::string note =
        "Successfully assigned " + subject.name_space + "/" + subject.name + " to " + *node;
    events.push_back({.subject = std::move(subject),
                      .type = EventType::Normal,
                      .reason = "Scheduled",
                      .action = "Binding",
                      .note = std::move(note)});
  }
  decided_ = std::move(still);
}

void CycleEvents::report_stale_gangs(const StatusView& view, std::span<const GangId> gangs,
                                     std::vector<ClusterEvent>& events) {
  stale_.resize(view.record.gangs.size());
  for (GangId id : gangs) {
    bool stale = view.cluster.alive(id) && view.cluster.gangs()[id].stale_since != kNoTime;
    bool was_stale = std::exchange(stale_[id], stale ? uint8_t{1} : uint8_t{0}) != 0;
    if (!stale || was_stale || !looked_) continue;
    std::optional<EventSubject> subject = pod_group_of(view, id);
    if (!subject) continue;
    events.push_back({.subject = std::move(*subject),
                      .type = EventType::Warning,
                      .reason = "StaleGang",
                      .action = "Scheduling",
                      .note = stale_note(view.cluster, id)});
  }
}

std::vector<ClusterEvent> CycleEvents::look(const StatusView& view, const GangReasons& reasons,
                                            std::span<const GangId> gangs,
                                            std::span<const PodId> pods) {
  std::vector<ClusterEvent> events;
  report_waiting_gangs(view, reasons, events);
  report_stale_gangs(view, gangs, events);
  seen_.resize(view.record.pods.size());
  for (PodId pod : pods) {
    if (view.cluster.alive(pod)) look_at_pod(view, reasons, pod, events);
  }
  looked_ = true;
  report_bound(view, events);
  return events;
}

}  // namespace trellis
