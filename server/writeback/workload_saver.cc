#include "server/writeback/workload_saver.h"

#include <algorithm>
#include <string_view>

#include "server/document/timestamp.h"
#include "server/objects/made_job_set.h"
#include "server/writeback/made_workload.h"
#include "server/writeback/pod_templates.h"
#include "server/writeback/workload_status.h"

namespace trellis {
namespace {

AssignmentForm form_of(const Json& object) {
  return text_at(object, "apiVersion").ends_with("v1beta1") ? AssignmentForm::Plain
                                                            : AssignmentForm::Compact;
}

WorkloadId find_workload(const Cluster& cluster, const std::string& space,
                         const std::string& name) {
  return cluster.workloads().workloads().find(space + "/" + name);
}

}  // namespace

WorkloadSaver::WorkloadSaver(const Source& source) : source_(source) {
  const Cluster& cluster = source_.cluster;
  if (cluster.workloads().workloads().size() == 0) return;
  for (const WorkloadOwnership& row : source_.owners) {
    WorkloadId id = find_workload(cluster, row.name_space, row.workload);
    if (!id.valid()) continue;
    owners_of_[id].push_back(&row);
    owned_.try_emplace({row.kind, row.name_space, row.name}, id);
  }
  for (const RawObject& raw : source_.objects) {
    ObjectName name{raw.kind, raw.name_space, raw.name};
    if (raw.kind == "Workload") {
      WorkloadId id = find_workload(cluster, raw.name_space, raw.name);
      if (id.valid()) read_.emplace(id, &raw);
    }
    bool is_runtime = raw.kind == kRuntime || raw.kind == kClusterRuntime;
    if (is_runtime || owned_.contains(name)) objects_.emplace(std::move(name), &raw);
  }
}

const WorkloadNote& WorkloadSaver::note(WorkloadId id) const {
  static const WorkloadNote none;
  return source_.notes.contains(id) ? source_.notes[id] : none;
}

bool WorkloadSaver::save(const RawObject& raw, std::string& line) const {
  const Cluster& cluster = source_.cluster;
  if (raw.kind == "Workload") {
    WorkloadId id = find_workload(cluster, raw.name_space, raw.name);
    if (!id.valid() || !read_.contains(id)) return false;
    Json object = parse_object(raw.json);
    if (!object.is_object()) return false;
    if (!cluster.workloads()[id].active) object_at(object, "spec")["active"] = false;
    StatusSource status{cluster, cluster.workloads()[id], note(id), form_of(object), source_.now};
    write_status(object, status);
    write_promise(object, status);
    if (object["status"].empty()) object.erase("status");
    line = one_line(object);
    return true;
  }
  auto found = owned_.find({raw.kind, raw.name_space, raw.name});
  if (found == owned_.end() || raw.kind == "Pod") return false;
  if (source_.state == SavedOwners::AsRead) return false;
  line = owner_line(raw, found->second);
  return true;
}

std::map<std::string, Json> WorkloadSaver::templates_of(WorkloadId id) const {
  std::map<std::string, Json> templates;
  if (auto read = read_.find(id); read != read_.end()) {
    Json object = parse_object(read->second->json);
    for (Json& set : object_at(object, "spec")["podSets"]) {
      if (!set.is_object()) continue;
      std::string name = text_at(set, "name");
      templates[name.empty() ? "main" : name] = object_at(set, "template");
    }
    return templates;
  }
  auto owners = owners_of_.find(id);
  if (owners == owners_of_.end()) return templates;
  for (const WorkloadOwnership* owner : owners->second) {
    auto raw = objects_.find({owner->kind, owner->name_space, owner->name});
    if (raw == objects_.end()) continue;
    Json object = parse_object(raw->second->json);
    if (!object.is_object()) continue;
    if (owner->kind == "Pod") {
      const Pod& pod =
          source_.cluster.pods()[source_.cluster.find_pod(owner->name_space, owner->name)].pod;
      std::string set(source_.cluster.vocabulary().strings.view(pod.pod_set));
      templates.try_emplace(set, template_of_pod(object));
    } else {
      if (owner->kind == "TrainJob") object = job_set_of(*owner, object);
      for (const RoleTemplate& role : pod_templates(object)) {
        templates.try_emplace(role.pod_set, *role.pod_template);
      }
    }
  }
  return templates;
}

// An empty object where the runtime is not known.
Json WorkloadSaver::job_set_of(const WorkloadOwnership& owner, const Json& train_job) const {
  RuntimeName named = runtime_of(train_job);
  std::string space = named.kind == kClusterRuntime ? "" : owner.name_space;
  auto runtime = objects_.find({named.kind, space, named.name});
  if (runtime == objects_.end()) return Json::object();
  return make_job_set(train_job, parse_object(runtime->second->json));
}

void WorkloadSaver::append_made(std::string& lines) const {
  const Cluster& cluster = source_.cluster;
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    // An error is reported again when the object is made again.
    if (read_.contains(id) || !owners_of_.contains(id)) continue;
    if (!cluster.workloads()[id].errors.empty()) continue;
    Json object = made_object(id);
    StatusSource status{cluster, cluster.workloads()[id], note(id), AssignmentForm::Compact,
                        source_.now};
    write_status(object, status);
    write_promise(object, status);
    if (object["status"].empty()) object.erase("status");
    lines += one_line(object);
    lines += '\n';
  }
}

Json WorkloadSaver::made_object(WorkloadId id) const {
  return make_workload_object(source_.cluster, id, owners_of_.at(id), templates_of(id));
}

std::string WorkloadSaver::owner_line(const RawObject& raw, WorkloadId id) const {
  Json object = parse_object(raw.json);
  if (!object.is_object()) return raw.json;
  const Workload& workload = source_.cluster.workloads()[id];
  Json* suspended = suspended_by(object);
  // What is not understood is left as it is.
  bool stays = workload.finished || !workload.errors.empty();
  if (suspended == nullptr || stays) return raw.json;
  bool starts = is_started(workload);
  bool was_started = suspended->contains("suspend") && (*suspended)["suspend"] == false;
  (*suspended)["suspend"] = !starts;
  std::map<std::string, Json> known = templates_of(id);
  const StringTable& strings = source_.cluster.vocabulary().strings;
  for (const RoleTemplate& role : pod_templates(object)) {
    // What a user changed in an owner that waits is kept.
    if (!starts && !was_started && !bears_start(*role.pod_template)) continue;
    auto original = known.find(role.pod_set);
    if (original != known.end()) restore_template(*role.pod_template, original->second);
    for (size_t i = 0; starts && i < workload.admission->pod_sets.size(); ++i) {
      const PodSetAdmission& set = workload.admission->pod_sets[i];
      if (strings.view(set.name) == role.pod_set) start(*role.pod_template, id, i);
    }
  }
  bool fewer = starts && raw.kind == "Job" && workload.pod_sets.front().min_count;
  if (fewer) object["spec"]["parallelism"] = workload.admission->pod_sets.front().count;
  return one_line(object);
}

void WorkloadSaver::start(Json& pod_template, WorkloadId id, size_t pod_set) const {
  const Workload& workload = source_.cluster.workloads()[id];
  const PodSetAdmission& admitted = workload.admission->pod_sets[pod_set];
  Json& metadata = object_at(pod_template, "metadata");
  object_at(metadata, "annotations")[kWorkloadKey] = workload.name;
  bool implied = admitted.topology && workload.pod_sets[pod_set].topology.empty();
  if (implied) metadata["annotations"][kUnconstrainedKey] = "true";
  object_at(metadata, "labels")[kPodSetKey] =
      source_.cluster.vocabulary().strings.view(admitted.name);
  Json& spec = object_at(pod_template, "spec");
  add_flavors(spec, admitted);
  if (admitted.topology) add_gate(spec, kTopologyGate);
}

void WorkloadSaver::add_flavors(Json& spec, const PodSetAdmission& admitted) const {
  const Cluster& cluster = source_.cluster;
  const StringTable& strings = cluster.vocabulary().strings;
  for (const auto& [resource, name] : admitted.flavors) {
    FlavorId id = cluster.workloads().flavors().find(strings.view(name));
    if (id.valid()) add_flavor(spec, cluster.workloads().flavors()[id], strings);
  }
}

void WorkloadSaver::pin(Json& spec, const TopologyAssignment& assignment, NodeId node) const {
  const Cluster& cluster = source_.cluster;
  const StringTable& strings = cluster.vocabulary().strings;
  for (StrId level : assignment.levels) {
    StrId value = find_label(cluster.nodes()[node].labels, level);
    if (!value.valid()) continue;
    object_at(spec, "nodeSelector")[std::string(strings.view(level))] = strings.view(value);
  }
}

void WorkloadSaver::edit_pod(Json& object, PodId id) const {
  const Cluster& cluster = source_.cluster;
  const PodSlot& slot = cluster.pods()[id];
  if (!slot.workload.valid() || !cluster.workloads().alive(slot.workload)) return;
  const Workload& workload = cluster.workloads()[slot.workload];
  if (!workload.errors.empty()) return;
  const StringTable& strings = cluster.vocabulary().strings;
  Json& spec = object_at(object, "spec");
  if (slot.pod.status != PodStatus::Running && slot.pod.status != PodStatus::Pending) return;
  if (!workload.admission || !is_started(workload)) {
    if (slot.pod.status != PodStatus::Pending || slot.pod.hold != PodHold::Workload) return;
    std::map<std::string, Json> known = templates_of(slot.workload);
    auto original = known.find(std::string(strings.view(slot.pod.pod_set)));
    // For a pod that owns its workload this is the pod's own text.
    bool restored = source_.state == SavedOwners::Started && original != known.end();
    if (restored) restore_pod(object, original->second);
    if (!bears_gate(spec)) add_gate(object_at(object, "spec"), kAdmissionGate);
    return;
  }
  const PodSetAdmission* admitted = start_pod(object, slot);
  if (admitted == nullptr) return;
  if (slot.pod.status == PodStatus::Pending || !admitted->topology) return;
  Json& started = object_at(object, "spec");
  remove_gate(started, kTopologyGate);
  NodeId node = cluster.find_node(slot.pod.node);
  if (node.valid()) pin(started, *admitted->topology, node);
}

// Starts the pod as its PodSet was admitted; null: its PodSet was not admitted.
const PodSetAdmission* WorkloadSaver::start_pod(Json& object, const PodSlot& slot) const {
  const auto& sets = source_.cluster.workloads()[slot.workload].admission->pod_sets;
  auto is_set = [&](const auto& set) { return set.name == slot.pod.pod_set; };
  auto admitted = std::find_if(sets.begin(), sets.end(), is_set);
  if (admitted == sets.end()) return nullptr;
  start(object, slot.workload, static_cast<size_t>(admitted - sets.begin()));
  remove_gate(object_at(object, "spec"), kAdmissionGate);
  return &*admitted;
}

void WorkloadSaver::ungate_pod(Json& object, PodId id, NodeId node) const {
  const PodSetAdmission* admitted = start_pod(object, source_.cluster.pods()[id]);
  if (admitted == nullptr) return;
  Json& spec = object_at(object, "spec");
  remove_gate(spec, kTopologyGate);
  if (admitted->topology) pin(spec, *admitted->topology, node);
}

}  // namespace trellis
