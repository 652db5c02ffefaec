#include "server/writeback/save.h"

#include <map>
#include <string>
#include <utility>

#include "plugins/numa/numa_hint.h"
#include "plugins/rank/rank.h"
#include "server/config/config_json.h"
#include "server/document/json_objects.h"
#include "server/document/timestamp.h"
#include "server/objects/cycle_times_text.h"
#include "server/objects/pod_mix_text.h"
#include "server/objects/zone_leavers_text.h"
#include "server/writeback/claim_saver.h"
#include "server/writeback/device_names.h"
#include "server/writeback/gang_times.h"
#include "server/writeback/workload_saver.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

constexpr const char* kPromised = "nominatedNodeName";

bool is_group_label(std::string_view key) { return key.starts_with(kGpuGroupLabel); }

void set_groups(Json& metadata, const Cluster& cluster, const Pod& pod) {
  Json& labels = object_at(metadata, "labels");
  Json kept = Json::object();
  size_t named = 0;
  for (auto& [key, value] : labels.items()) {
    if (is_group_label(key)) {
      ++named;
    } else {
      kept[key] = value;
    }
  }
  bool stands = named == pod.gpu_groups.size();
  std::vector<std::string> names;
  for (StrId group : pod.gpu_groups) names.emplace_back(cluster.vocabulary().strings.view(group));
  for (const auto& [key, name] : group_labels(names)) {
    stands = stands && holds_text(labels, key.c_str(), name);
    kept[key] = name;
  }
  if (!stands) labels = std::move(kept);
  if (labels.empty()) metadata.erase("labels");
}

void write_notes(Json& metadata, const std::vector<BindNote>& notes) {
  for (const BindNote& note : notes) {
    bool label = note.kind == BindNote::Kind::Label;
    object_at(metadata, label ? "labels" : "annotations")[std::string(note.key)] = note.value;
  }
}

// Erases what a pod has only while it has a node.
void erase_notes(Json& metadata) {
  auto erase = [&metadata](const char* map, std::string_view key) {
    auto found = metadata.find(map);
    if (found == metadata.end() || !found->is_object()) return;
    found->erase(std::string(key));
    if (found->empty()) metadata.erase(map);
  };
  erase("labels", kRankLabel);
  erase("annotations", kNumaHint);
  erase("annotations", kNumaReport);
}

// Erases the marks of a pod that was evicted.
void erase_leaving(Json& metadata) {
  metadata.erase("deletionTimestamp");
  metadata.erase("deletionGracePeriodSeconds");
}

// Drops what a node reported of the resources that it gave the pod (objects/pod_resize.h).
void forget_resize(Json& status) {
  for (const char* key : {"containerStatuses", "initContainerStatuses"}) {
    auto found = status.find(key);
    if (found == status.end() || !found->is_array()) continue;
    for (Json& container : *found) {
      if (!container.is_object()) continue;
      container.erase("allocatedResources");
      container.erase("resources");
    }
  }
  for (const char* key : {"allocatedResources", "resources", "qosClass"}) status.erase(key);
  auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) return;
  Json kept = Json::array();
  for (Json& condition : *conditions) {
    bool pending = condition.is_object() && holds_text(condition, "type", "PodResizePending");
    if (!pending) kept.push_back(std::move(condition));
  }
  *conditions = std::move(kept);
}

// The pod got its node since its text was read. Where the pod holds what its spec requests, a
// resize in its status may be that of the pod that it replaces, and is dropped.
void arrive(Json& object, const Cluster& cluster, const PodSlot& slot) {
  Json& status = object_at(object, "status");
  object_at(object, "spec")["nodeName"] = slot.pod.node;
  status.erase(kPromised);
  if (!cluster.pod_classes()[slot.pod_class].replacement) forget_resize(status);
}

TimeUs started_at(const Json& status) {
  return parse_timestamp(text_at(status, "startTime")).value_or(kNoTime);
}

void set_running(Json& object, const Cluster& cluster, const PodSlot& slot) {
  const Pod& pod = slot.pod;
  Json& status = object_at(object, "status");
  bool ran = holds_text(object_at(object, "spec"), "nodeName", pod.node) &&
             holds_text(status, "phase", "Running") && started_at(status) == pod.started;
  if (ran) return;
  arrive(object, cluster, slot);
  status["phase"] = "Running";
  if (pod.started != kNoTime) status["startTime"] = format_timestamp(pod.started);
}

// The node has not started the pod yet.
void set_bound(Json& object, const Cluster& cluster, const PodSlot& slot) {
  if (holds_text(object_at(object, "spec"), "nodeName", slot.pod.node)) return;
  arrive(object, cluster, slot);
}

// The value as the reader takes it: a number as its digits, "" for anything but text.
std::string word_at(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->dump() : text_at(object, key);
}

// The pod in the place of one that left keeps its ResourceClaims, as far as it may use them, and
// needs none where that one needed none. Of entries with one name the last holds.
Json kept_claims(const Json& status, const Cluster& cluster, const Pod& pod) {
  std::map<std::string, Json> last;
  auto found = status.find("resourceClaimStatuses");
  if (found == status.end() || !found->is_array()) return Json::array();
  for (const Json& claim : *found) {
    if (claim.is_object()) last[word_at(claim, "name")] = claim;
  }
  Json kept = Json::array();
  for (auto& [name, claim] : last) {
    std::string made = word_at(claim, "resourceClaimName");
    std::string key = full_key(cluster.vocabulary().strings, pod.name_space, made);
    bool there = pod.hold != PodHold::ResourceClaim && cluster.devices().claims.contains(key);
    if (made.empty() || there) kept.push_back(std::move(claim));
  }
  return kept;
}

void set_pending(Json& object, const Cluster& cluster, const Pod& pod) {
  Json& spec = object_at(object, "spec");
  Json& metadata = object_at(object, "metadata");
  if (spec.contains("nodeName") || metadata.contains("deletionTimestamp")) {
    spec.erase("nodeName");
    erase_leaving(metadata);
    erase_notes(metadata);
    // Conditions, addresses and container states were those of the pod that left.
    Json claims = kept_claims(object_at(object, "status"), cluster, pod);
    object["status"] = {{"phase", "Pending"}};
    if (!claims.empty()) object["status"]["resourceClaimStatuses"] = std::move(claims);
  }
  Json& status = object_at(object, "status");
  status.erase(kPromised);
  if (!pod.promised.empty()) status[kPromised] = pod.promised;
}

void set_pod(Json& object, const Cluster& cluster, const PodSlot& slot, TimeUs now) {
  const Pod& pod = slot.pod;
  // A new key moves its neighbours, so all are there before any is referred to.
  for (const char* key : {"metadata", "spec", "status"}) object_at(object, key);
  switch (pod.status) {
    case PodStatus::Running:
      erase_leaving(object_at(object, "metadata"));
      set_running(object, cluster, slot);
      break;
    case PodStatus::Releasing:
      set_running(object, cluster, slot);
      if (Json& metadata = object_at(object, "metadata"); !metadata.contains("deletionTimestamp")) {
        bool known = pod.leaving_since != kNoTime;
        metadata["deletionTimestamp"] = format_timestamp(known ? pod.leaving_since : now);
      }
      break;
    case PodStatus::Bound:
      set_bound(object, cluster, slot);
      break;
    case PodStatus::Pending:
      set_pending(object, cluster, pod);
      break;
    default:
      return;  // Finished pods stay as they were read.
  }
  set_groups(object_at(object, "metadata"), cluster, pod);
}

// Whether a pod was read without any sign of a present or promised node.
bool never_placed(const RawObject& raw) {
  return raw.json.find(kPromised) == std::string::npos &&
         raw.json.find("\"nodeName\"") == std::string::npos &&
         raw.json.find("\"deletionTimestamp\"") == std::string::npos;
}

// Whether the pod's workload has changed what the pod's text has.
bool workload_changed(const RawObject& raw, const Cluster& cluster, const PodSlot& slot) {
  if (!slot.workload.valid() || !cluster.workloads().alive(slot.workload)) return false;
  if (cluster.workloads()[slot.workload].admission) return true;
  bool gated = raw.json.find("\"schedulingGates\"") != std::string::npos;
  return slot.pod.hold == PodHold::Workload && !gated;
}

// The pod's text, rewritten only where the pod moved.
std::string pod_line(const RawObject& raw, const Cluster& cluster, PodId id, const BindNotes& notes,
                     const WorkloadSaver& workloads, TimeUs now) {
  const Pod& pod = cluster.pods()[id].pod;
  bool nowhere = pod.status == PodStatus::Pending && pod.promised.empty();
  bool started = workload_changed(raw, cluster, cluster.pods()[id]);
  if (nowhere && !started && never_placed(raw)) return raw.json;
  Json object = parse_object(raw.json);
  if (!object.is_object()) return raw.json;
  set_pod(object, cluster, cluster.pods()[id], now);
  auto noted = notes.find(id);
  if (noted != notes.end() && pod.status != PodStatus::Pending)
    write_notes(object_at(object, "metadata"), noted->second.bound->notes);
  workloads.edit_pod(object, id);
  return one_line(object);
}

// The PodGroup's text, rewritten only where the times of its gang changed.
std::string pod_group_line(const RawObject& raw, const Gang& gang) {
  bool timeless = gang.started == kNoTime && gang.stale_since == kNoTime;
  if (timeless && raw.json.find(kStaleSince) == std::string::npos) return raw.json;
  Json object = parse_object(raw.json);
  if (!object.is_object()) return raw.json;
  if (!write_gang_times(object, gang)) return raw.json;
  return one_line(object);
}

// The report's text, rewritten only where pods have left since or had left when it was read.
std::string zones_line(const RawObject& raw, const Cluster& cluster, const Node& node) {
  if (node.left.empty() && raw.json.find(kNumaLeft) == std::string::npos) return raw.json;
  Json object = parse_object(raw.json);
  if (!object.is_object()) return raw.json;
  Json& metadata = object_at(object, "metadata");
  Json& annotations = object_at(metadata, "annotations");
  annotations.erase(std::string(kNumaLeft));
  if (!node.left.empty()) {
    annotations[std::string(kNumaLeft)] =
        zone_leavers_text(node.left, cluster.vocabulary().resources);
  }
  if (annotations.empty()) metadata.erase("annotations");
  return one_line(object);
}

std::string saved_line(const RawObject& raw, const Cluster& cluster, const BindNotes& notes,
                       const WorkloadSaver& workloads, const ClaimSaver& claims, TimeUs now) {
  std::string line;
  if (raw.kind == "Pod") {
    PodId pod = cluster.find_pod(raw.name_space, raw.name);
    if (pod.valid()) return pod_line(raw, cluster, pod, notes, workloads, now);
  } else if (raw.kind == "PodGroup") {
    GangId gang = cluster.find_gang(raw.name_space, raw.name);
    if (gang.valid()) return pod_group_line(raw, cluster.gangs()[gang]);
  } else if (raw.kind == "NodeResourceTopology") {
    NodeId node = cluster.find_node(raw.name);
    if (node.valid()) return zones_line(raw, cluster, cluster.nodes()[node]);
  } else if (claims.save(raw, line) || workloads.save(raw, line)) {
    return line;
  }
  return raw.json;
}

std::string moved_text(const MovedGpus& moved) {
  if (moved.since == kNoTime) return "";
  return R"(,"movedGPUs":{"since":")" + format_timestamp(moved.since) + R"(","milli":)" +
         std::to_string(moved.gpu_milli) + "}";
}

}  // namespace

std::string cycle_line(const CycleObject& cycle) {
  return R"({"apiVersion":"trellis.scheduler/v1alpha1","kind":"Cycle","now":")" +
         format_timestamp(cycle.now) + R"(","config":)" + config_json(cycle.config) +
         ",\"usage\":" + usage_json(cycle.config) +
         (cycle.config.node_numbers.empty()
              ? ""
              : ",\"nodeNumbers\":" + node_numbers_json(cycle.config)) +
         ",\"failures\":[]" + (cycle.make_pods ? "" : ",\"makePods\":false") +
         (cycle.hold_gpu_fractions ? ",\"holdGpuFractions\":true" : "") +
         moved_text(cycle.moved_gpus) +
         (cycle.learned ? ",\"podMix\":" + pod_mix_text(*cycle.learned) : "") +
         (cycle.appointments ? ",\"appointments\":" + appointments_text(*cycle.appointments) : "") +
         (cycle.past_runs ? ",\"pastRuns\":" + past_runs_text(*cycle.past_runs) : "") +
         (cycle.gang_times.empty() ? "" : ",\"gangTimes\":" + gang_times_text(cycle.gang_times)) +
         "}\n";
}

void save_objects(ByteSink& sink, const std::vector<RawObject>& objects, const Cluster& cluster,
                  const BindNotes& notes, TimeUs now, const SavedWorkloads& workloads) {
  constexpr size_t flush_bytes = 1 << 16;
  WorkloadNotes none;
  const WorkloadNotes& said = workloads.notes == nullptr ? none : *workloads.notes;
  WorkloadSaver saver({objects, workloads.owners, cluster, said, now, workloads.state});
  ClaimSaver claims(cluster, notes);
  std::string lines;
  for (const RawObject& raw : objects) {
    lines += saved_line(raw, cluster, notes, saver, claims, now);
    lines += '\n';
    if (lines.size() >= flush_bytes) {
      sink.write(lines);
      lines.clear();
    }
  }
  saver.append_made(lines);
  sink.write(lines);
}

}  // namespace trellis
