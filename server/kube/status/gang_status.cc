#include "server/kube/status/gang_status.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/document/timestamp.h"
#include "server/kube/status/digest.h"
#include "server/kube/status/object_patch.h"
#include "server/writeback/gang_times.h"

namespace trellis {
namespace {

constexpr const char* kGroup = "scheduling.run.ai";
constexpr const char* kKind = "PodGroup";
constexpr const char* kWaits = "UnschedulableOnNodePool";
constexpr const char* kNodePool = "default";

bool has_place(GangStatus status) {
  return status == GangStatus::Running || status == GangStatus::Scheduled;
}

Json to_json(const GangPlacement& placement) {
  Json written = {{"topology", placement.topology}};
  if (!placement.level.empty()) written["level"] = placement.level;
  written["domain"] = placement.domain;
  return written;
}

struct GangPodCounts {
  int64_t pending = 0;
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
};

GangPodCounts count_pods(const StatusView& view, GangId gang) {
  GangPodCounts counts;
  for (PodId pod : view.cluster.pods_of(gang)) {
    const PodOutcome& outcome = view.record.pods[pod];
    switch (outcome.status) {
      case PodStatus::Pending:
      case PodStatus::Bound:
        ++counts.pending;
        break;
      case PodStatus::Pipelined:
        ++(outcome.evicted ? counts.running : counts.pending);
        break;
      case PodStatus::Running:
      case PodStatus::Evicted:
      case PodStatus::Releasing:
        ++counts.running;
        break;
      case PodStatus::Succeeded:
        ++counts.succeeded;
        break;
      case PodStatus::Failed:
        ++counts.failed;
        break;
    }
  }
  return counts;
}

uint64_t status_digest(const StatusView& view, GangId gang, uint64_t reason) {
  Digest digest;
  digest.add(view.cluster.gangs()[gang].uid);
  digest.add(view.cluster.gangs()[gang].min_member);
  digest.add(reason);
  GangPodCounts counts = count_pods(view, gang);
  for (int64_t count : {counts.pending, counts.running, counts.succeeded, counts.failed}) {
    digest.add(count);
  }
  return digest.value();
}

void add_placement(Digest& digest, const std::optional<GangPlacement>& placement) {
  digest.add(placement.has_value());
  if (!placement) return;
  digest.add(placement->topology);
  digest.add(placement->level);
  digest.add(placement->domain.size());
  for (const std::string& value : placement->domain) digest.add(value);
}

uint64_t metadata_digest(const StatusView& view, GangId id) {
  const Gang& gang = view.cluster.gangs()[id];
  const GangOutcome& outcome = view.record.gangs[id];
  Digest digest;
  digest.add(gang.uid);
  digest.add(outcome.status);
  digest.add(gang.started);
  digest.add(gang.stale_since);
  add_placement(digest, outcome.placement);
  for (const SubgroupOutcome& one : outcome.subgroups) add_placement(digest, one.placement);
  return digest.value();
}

// "": the phase is not changed.
std::string_view phase_of(const Gang& gang, const GangPodCounts& counts) {
  if (counts.running >= std::max(gang.min_member, 1)) return "Running";
  if (counts.running > 0) return "Unknown";
  bool is_over = counts.pending == 0 && counts.succeeded + counts.failed > 0;
  return is_over ? "" : "Pending";
}

bool is_ours(const Json& condition) {
  return condition.is_object() && holds_text(condition, "type", kWaits) &&
         holds_text(condition, "nodePool", kNodePool);
}

void take_out_condition(Json& status) {
  auto list = status.find("schedulingConditions");
  if (list == status.end() || !list->is_array()) return;
  for (size_t i = list->size(); i-- > 0;) {
    if (is_ours((*list)[i])) list->erase(i);
  }
  if (list->empty()) status.erase("schedulingConditions");
}

// Its transitionID grows with each change, so that a reader can distinguish conditions of the same
// text.
void set_condition(Json& status, const GangReasons::Explanation& explanation) {
  Json& list = status["schedulingConditions"];
  if (!list.is_array()) list = Json::array();
  auto known = std::find_if(list.begin(), list.end(), is_ours);
  int64_t transition = 1;
  if (known != list.end()) {
    if (holds_text(*known, "message", explanation.text)) return;
    std::string text = text_at(*known, "transitionID");
    bool counted =
        !text.empty() && text.size() < 18 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (counted) transition = std::stoll(text) + 1;
    list.erase(known);
  }
  std::string reason(to_string(explanation.code));
  list.push_back({{"type", kWaits},
                  {"nodePool", kNodePool},
                  {"status", "True"},
                  {"reason", reason},
                  {"message", explanation.text},
                  {"reasons", Json::array({{{"reason", reason}, {"message", explanation.text}}})},
                  {"transitionID", std::to_string(transition)},
                  {"lastTransitionTime",
                   format_timestamp(explanation.since - explanation.since % kSecondUs)}});
}

void edit_status(Json& object, const Gang& gang, const GangPodCounts& counts,
                 const GangReasons::Explanation& explanation) {
  Json& status = object_at(object, "status");
  if (std::string_view phase = phase_of(gang, counts); !phase.empty()) status["phase"] = phase;
  status["pending"] = counts.pending;
  status["running"] = counts.running;
  status["succeeded"] = counts.succeeded;
  status["failed"] = counts.failed;
  if (explanation.version != 0) {
    set_condition(status, explanation);
  } else {
    take_out_condition(status);
  }
}

void edit_metadata(Json& object, const StatusView& view, GangId id) {
  write_gang_times(object, view.cluster.gangs()[id]);
  std::string placement = placement_json(view.cluster, view.record, id);
  Json& metadata = object_at(object, "metadata");
  if (placement.empty()) return erase_from(metadata, "annotations", kPlacementAnnotation);
  object_at(metadata, "annotations")[kPlacementAnnotation] = placement;
}

}  // namespace

std::string placement_json(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  const GangOutcome& outcome = record.gangs[gang];
  const std::vector<Subgroup>& subgroups = cluster.gangs()[gang].subgroups;
  if (!has_place(outcome.status)) return "";
  Json written = outcome.placement ? to_json(*outcome.placement) : Json::object();
  for (size_t i = 0; i < outcome.subgroups.size() && i < subgroups.size(); ++i) {
    if (!outcome.subgroups[i].placement) continue;
    written["subgroups"].push_back({{"name", cluster.vocabulary().strings.view(subgroups[i].name)},
                                    {"placement", to_json(*outcome.subgroups[i].placement)}});
  }
  return written.empty() ? "" : one_line(written);
}

void GangStatuses::look(const StatusView& view, const GangReasons& reasons,
                        std::span<const GangId> gangs, std::vector<WriteKey>& due_writes) {
  written_.resize(view.record.gangs.size());
  for (GangId id : gangs) {
    if (!view.cluster.alive(id)) continue;
    const Gang& gang = view.cluster.gangs()[id];
    Written wanted{status_digest(view, id, reasons.of(id).version), metadata_digest(view, id)};
    Written before = std::exchange(written_[id], wanted);
    bool same_status = before.status == wanted.status;
    bool same_metadata = before.metadata == wanted.metadata;
    if (same_status && same_metadata) continue;
    WriteKey key{.group = kGroup,
                 .kind = kKind,
                 .name_space = std::string(view.cluster.vocabulary().strings.view(gang.name_space)),
                 .name = gang.name,
                 .part = WritePart::Status};
    // A gang without a PodGroup has nothing to be written.
    if (!view.objects.find(key.group, key.kind, key.name_space, key.name)) continue;
    if (!same_status) due_writes.push_back(key);
    key.part = WritePart::Metadata;
    if (!same_metadata) due_writes.push_back(std::move(key));
  }
}

std::optional<ApiRequest> gang_status_request(const StatusView& view, const GangReasons& reasons,
                                              const WriteKey& key) {
  GangId id = view.cluster.find_gang(key.name_space, key.name);
  if (!id.valid() || !reasons.knows(id)) return std::nullopt;
  std::optional<LiveObject> object =
      view.objects.find(key.group, key.kind, key.name_space, key.name);
  if (!object) return std::nullopt;
  Json before = parse_object(object->text);
  if (!before.is_object()) return std::nullopt;
  Json after = before;
  if (key.part == WritePart::Status) {
    edit_status(after, view.cluster.gangs()[id], count_pods(view, id), reasons.of(id));
  } else {
    edit_metadata(after, view, id);
  }
  return patch_request(*object, before, after, key.part, Guard::SameObject);
}

}  // namespace trellis
