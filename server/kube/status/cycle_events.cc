#include "server/kube/status/cycle_events.h"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "server/output/full_name.h"
#include "server/simulate/json_objects.h"

namespace trellis {
namespace {

constexpr std::string_view kStaleAction = "stalegangeviction";

EventSubject subject_of(const Pod& pod, const StringTable& strings) {
  return {.api_version = "v1",
          .kind = "Pod",
          .name_space = std::string(strings.view(pod.name_space)),
          .name = pod.name,
          .uid = pod.uid};
}

// nullopt: the pod is gone, or is another one by now. Empty: it has none.
std::optional<std::string> node_by_now(const StatusView& view, const EventSubject& subject) {
  auto object = view.objects.find("", "Pod", subject.name_space, subject.name);
  if (!object) return std::nullopt;
  Json pod = parse_object(*object->text);
  if (!pod.is_object() || text_at(object_at(pod, "metadata"), "uid") != subject.uid) {
    return std::nullopt;
  }
  return text_at(object_at(pod, "spec"), "nodeName");
}

void tell_gangs(const StatusView& view, const GangReasons& reasons,
                std::vector<ClusterEvent>& events) {
  for (GangId id : reasons.changed()) {
    const GangReasons::Said& said = reasons.of(id);
    if (said.version == 0) continue;
    const Gang& gang = view.cluster.gangs()[id];
    std::string space(view.cluster.vocabulary().strings.view(gang.name_space));
    if (!view.objects.find("scheduling.run.ai", "PodGroup", space, gang.name)) continue;
    events.push_back(
        {.subject = {"scheduling.run.ai/v2alpha2", "PodGroup", space, gang.name, gang.uid},
         .type = EventType::Normal,
         .reason = "Unschedulable",
         .action = "Scheduling",
         .note = said.text});
  }
}

}  // namespace

std::vector<EvictedPod> evicted_pods(const Cluster& cluster, const CycleRecord& record) {
  std::vector<EvictedPod> evicted;
  const StringTable& strings = cluster.vocabulary().strings;
  for (const Eviction& eviction : record.evictions) {
    const Pod& pod = cluster.pods()[eviction.pod].pod;
    EvictedPod one{.name_space = std::string(strings.view(pod.name_space)),
                   .name = pod.name,
                   .uid = pod.uid,
                   .gang = std::string(strings.view(pod.gang)),
                   .action = std::string(eviction.action),
                   .by = {}};
    if (eviction.by.valid()) one.by = "gang " + full_name(cluster, eviction.by);
    if (eviction.by_workload.valid()) {
      const Workload& by = cluster.workloads()[eviction.by_workload];
      one.by = "workload " + full_name(cluster, by.name_space, by.name);
    }
    evicted.push_back(std::move(one));
  }
  return evicted;
}

std::vector<ClusterEvent> CycleEvents::of_evictions(std::span<const EvictedPod> evicted) {
  std::vector<ClusterEvent> events;
  for (const EvictedPod& pod : evicted) {
    bool stale = pod.action == kStaleAction;
    std::string note = "Evicted by " + pod.action;
    if (!pod.by.empty()) note += " to make room for " + pod.by;
    if (stale) note = "Evicted, as its gang " + pod.gang + " ran below its minimum for too long";
    events.push_back({.subject = {"v1", "Pod", pod.name_space, pod.name, pod.uid},
                      .type = stale ? EventType::Warning : EventType::Normal,
                      .reason = stale ? "StaleGang" : "Preempted",
                      .action = "Evicting",
                      .note = std::move(note)});
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
  if (slot.pod.hold != PodHold::None) return;
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
  if (!reasons.knows(slot.gang)) return;
  const GangReasons::Said& said = reasons.of(slot.gang);
  if (said.version == 0 || said.code == seen.told) return;
  seen.told = said.code;
  events.push_back({.subject = subject_of(slot.pod, view.cluster.vocabulary().strings),
                    .type = EventType::Warning,
                    .reason = "FailedScheduling",
                    .action = "Scheduling",
                    .note = said.text});
}

// Those whose objects say by now where they are.
void CycleEvents::tell_bound(const StatusView& view, std::vector<ClusterEvent>& events) {
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

std::vector<ClusterEvent> CycleEvents::look(const StatusView& view, const GangReasons& reasons,
                                            std::span<const PodId> pods) {
  std::vector<ClusterEvent> events;
  tell_gangs(view, reasons, events);
  seen_.resize(view.record.pods.size());
  for (PodId pod : pods) {
    if (view.cluster.alive(pod)) look_at_pod(view, reasons, pod, events);
  }
  looked_ = true;
  tell_bound(view, events);
  return events;
}

}  // namespace trellis
