#include "server/kube/status/core_group_status.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/gang_minimum.h"
#include "server/document/json_objects.h"
#include "server/document/timestamp.h"
#include "server/kube/status/digest.h"

namespace trellis {
namespace {

constexpr const char* kCoreKind = "PodGroup";
constexpr std::string_view kOldGroupPath = "/apis/scheduling.k8s.io/v1alpha2/";
constexpr std::string_view kOldScheduledType = "PodGroupScheduled";
constexpr std::string_view kScheduledType = "PodGroupInitiallyScheduled";
constexpr std::string_view kMoreNodesHelp = "Unschedulable";

// A PodGroup of a gang.
struct CorePart {
  StrId name;
  int32_t min_member = 1;
  bool placed = false;
};

bool counts_as_scheduled(PodStatus status) {
  return status == PodStatus::Bound || status == PodStatus::Running ||
         status == PodStatus::Succeeded;
}

std::vector<CorePart> core_parts(const StatusView& view, GangId id) {
  const Gang& gang = view.cluster.gangs()[id];
  std::vector<CorePart> parts;
  if (gang.core_group.valid()) parts.push_back({gang.core_group, gang.min_member});
  for (size_t i = 0; gang.core_leaves && i < gang.subgroups.size(); ++i) {
    const Subgroup& leaf = gang.subgroups[i];
    if (is_leaf(gang, static_cast<int32_t>(i))) parts.push_back({leaf.name, leaf.min_member});
  }
  for (CorePart& part : parts) {
    auto placed = std::ranges::count_if(view.cluster.pods_of(id), [&](PodId pod) {
      bool inside = !gang.core_leaves || view.cluster.pods()[pod].pod.subgroup == part.name;
      return inside && counts_as_scheduled(view.record.pods[pod].status);
    });
    part.placed = placed > 0 && placed >= part.min_member;
  }
  return parts;
}

uint64_t core_digest(const Gang& gang, std::span<const CorePart> parts, uint64_t reason) {
  Digest digest;
  digest.add(gang.uid);
  digest.add(reason);
  for (const CorePart& part : parts) {
    digest.add(part.name);
    digest.add(part.placed);
  }
  return digest.value();
}

WriteKey core_key(const StatusView& view, const Gang& gang, StrId name) {
  const StringTable& strings = view.cluster.vocabulary().strings;
  return {.group = kCoreGroups,
          .kind = kCoreKind,
          .name_space = std::string(strings.view(gang.name_space)),
          .name = std::string(strings.view(name)),
          .part = WritePart::Status};
}

// null: there is no condition of this type.
const Json* find_group_condition(const Json& object, std::string_view type) {
  auto status = object.find("status");
  if (status == object.end() || !status->is_object()) return nullptr;
  auto list = status->find("conditions");
  if (list == status->end() || !list->is_array()) return nullptr;
  for (const Json& condition : *list) {
    if (condition.is_object() && holds_text(condition, "type", type)) return &condition;
  }
  return nullptr;
}

// The condition to be written; null: none.
Json next_group_condition(const Json* known, std::string_view type, bool placed,
                          const GangReasons::Explanation& explanation, TimeUs now) {
  if (known != nullptr && holds_text(*known, "status", "True")) return nullptr;
  if (!placed && explanation.version == 0) return nullptr;
  std::string_view status = placed ? "True" : "False";
  std::string reason = "Scheduled";
  std::string message = "All pods that the group needs have a node";
  if (!placed) {
    reason = explanation.calls_for_nodes ? kMoreNodesHelp : to_string(explanation.code);
    message = explanation.text;
  }
  bool stays = known != nullptr && holds_text(*known, "status", status);
  if (stays && holds_text(*known, "reason", reason) && holds_text(*known, "message", message)) {
    return nullptr;
  }
  std::string since = stays ? text_at(*known, "lastTransitionTime") : std::string();
  if (since.empty()) since = format_timestamp(now - now % kSecondUs);
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", since}};
}

}  // namespace

void CoreGroupStatuses::forget(Written& written) {
  for (const WriteKey& key : written.groups) gang_of_.erase(key);
  written = {};
}

void CoreGroupStatuses::look(const StatusView& view, const GangReasons& reasons,
                             std::span<const GangId> gangs, std::vector<WriteKey>& due_writes) {
  written_.resize(view.record.gangs.size());
  for (GangId id : gangs) {
    Written& written = written_[id];
    bool ours = view.cluster.alive(id) && (view.cluster.gangs()[id].core_group.valid() ||
                                           view.cluster.gangs()[id].core_leaves);
    if (!ours) {
      if (!written.groups.empty()) forget(written);
      continue;
    }
    const Gang& gang = view.cluster.gangs()[id];
    std::vector<CorePart> parts = core_parts(view, id);
    uint64_t wanted = core_digest(gang, parts, reasons.of(id).version);
    if (written.hash == wanted) continue;
    forget(written);
    written.hash = wanted;
    for (const CorePart& part : parts) {
      WriteKey key = core_key(view, gang, part.name);
      if (!view.objects.find(key.group, key.kind, key.name_space, key.name)) continue;
      gang_of_[key] = gang.name;
      written.groups.push_back(key);
      due_writes.push_back(std::move(key));
    }
  }
}

std::optional<ApiRequest> CoreGroupStatuses::request(const StatusView& view,
                                                     const GangReasons& reasons,
                                                     const WriteKey& key) const {
  auto known = gang_of_.find(key);
  if (known == gang_of_.end()) return std::nullopt;
  GangId id = view.cluster.find_gang(key.name_space, known->second);
  if (!id.valid() || !reasons.knows(id)) return std::nullopt;
  StrId own = view.cluster.vocabulary().strings.find(key.name);
  std::vector<CorePart> parts = core_parts(view, id);
  auto part = std::ranges::find(parts, own, &CorePart::name);
  std::optional<LiveObject> object =
      view.objects.find(key.group, key.kind, key.name_space, key.name);
  if (part == parts.end() || !object) return std::nullopt;
  Json before = parse_object(object->text);
  if (!before.is_object()) return std::nullopt;
  std::string_view type =
      object->path.starts_with(kOldGroupPath) ? kOldScheduledType : kScheduledType;
  Json condition = next_group_condition(find_group_condition(before, type), type, part->placed,
                                        reasons.of(id), view.now);
  if (condition.is_null()) return std::nullopt;
  Json patch = {{"metadata", {{"uid", text_at(object_at(before, "metadata"), "uid")}}},
                {"status", {{"conditions", Json::array({std::move(condition)})}}}};
  return ApiRequest{.method = "PATCH",
                    .target = object->path + (object->has_status ? "/status" : ""),
                    .body = one_line(patch),
                    .content_type = kStrategicPatch};
}

}  // namespace trellis
