#include "server/kube/status/workload_writes.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "server/kube/status/digest.h"
#include "server/kube/status/object_patch.h"
#include "server/objects/made_job_set.h"
#include "server/writeback/pod_templates.h"
#include "server/writeback/workload_saver.h"
#include "server/writeback/workload_status.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

constexpr const char* kKueueGroup = "kueue.x-k8s.io";
constexpr const char* kWorkloadKind = "Workload";

void add(Digest& hash, const Admission& admission) {
  hash.add(admission.reserved_at);
  for (const PodSetAdmission& set : admission.pod_sets) {
    hash.add(int64_t{set.count});
    hash.add(int64_t{set.delayed_topology});
    for (const auto& [resource, flavor] : set.flavors) hash.add(uint64_t{flavor.value});
    if (!set.topology) continue;
    for (int32_t count : set.topology->counts) hash.add(int64_t{count});
    for (StrId value : set.topology->values) hash.add(uint64_t{value.value});
  }
}

uint64_t standing_of(const Workload& workload, const WorkloadNote& note) {
  Digest hash;
  for (int64_t value :
       {int64_t{workload.active}, int64_t{workload.finished}, int64_t{workload.checks_pending},
        int64_t{workload.requeues}, int64_t{workload.unhealthy_nodes.empty()}, workload.requeue_at,
        note.evicted_at, static_cast<int64_t>(workload.pods_ready)}) {
    hash.add(value);
  }
  for (const std::optional<Admission>* admission : {&workload.admission, &workload.promised}) {
    hash.add(int64_t{admission->has_value()});
    if (*admission) add(hash, **admission);
  }
  return hash.value();
}

bool same_reasons(const SharedReasons& a, const SharedReasons& b) {
  if (a == b) return true;
  return a && b && *a == *b;
}

bool same_kind_of_reasons(const SharedReasons& a, const SharedReasons& b) {
  if (!a || !b || a->empty() || b->empty()) return false;
  return a->front().code == b->front().code;
}

RawObject raw_object(const WriteKey& key, const std::string& text) {
  return {.kind = key.kind, .name_space = key.name_space, .name = key.name, .json = text};
}

// A workload with its owners, as WorkloadSaver takes them.
struct OneWorkload {
  std::vector<WorkloadOwnership> owners;
  std::vector<RawObject> objects;

  OneWorkload(const StatusView& view, WorkloadId id, WorkloadOwners& known)
      : owners(known.of(view.cluster, id, view.objects)) {
    const Workload& workload = view.cluster.workloads()[id];
    std::string space(view.cluster.vocabulary().strings.view(workload.name_space));
    auto add = [&](const std::string& group, const std::string& kind, const std::string& name) {
      auto object = view.objects.find(group, kind, space, name);
      if (object) objects.push_back({kind, space, name, object->text});
    };
    add(kKueueGroup, kWorkloadKind, workload.name);
    for (const WorkloadOwnership& row : owners) {
      add(row.group, row.kind, row.name);
      if (row.kind == "TrainJob" && !objects.empty()) add_runtime(view, objects.back());
    }
  }
  // The runtime has the templates of the TrainJob's pods.
  void add_runtime(const StatusView& view, const RawObject& train_job) {
    RuntimeName named = runtime_of(parse_object(train_job.json));
    std::string space = named.kind == kClusterRuntime ? "" : train_job.name_space;
    auto object = view.objects.find(kTrainerGroup, named.kind, space, named.name);
    if (object) objects.push_back({named.kind, space, named.name, object->text});
  }
  OneWorkload(const OneWorkload&) = delete;
  OneWorkload& operator=(const OneWorkload&) = delete;

  WorkloadSaver saver(const StatusView& view) const {
    return WorkloadSaver({objects, owners, view.cluster, view.notes, view.now});
  }
};

WorkloadId find_workload_of(const Cluster& cluster, const std::string& key) {
  return cluster.workloads().workloads().find(key);
}

// Whether the newest Workload object contains an admission.
bool says_admitted(const StatusView& view, const Workload& workload) {
  std::string space(view.cluster.vocabulary().strings.view(workload.name_space));
  auto object = view.objects.find(kKueueGroup, kWorkloadKind, space, workload.name);
  if (!object) return false;
  Json written = parse_object(object->text);
  return written.is_object() && object_at(written, "status").contains("admission");
}

// Adds the fields of owner references that the API server needs and a saved file does not.
void complete_owners(const StatusView& view, const std::vector<WorkloadOwnership>& rows,
                     Json& workload) {
  Json& references = workload["metadata"]["ownerReferences"];
  for (size_t i = 0; i < rows.size() && i < references.size(); ++i) {
    auto owner = view.objects.find(rows[i].group, rows[i].kind, rows[i].name_space, rows[i].name);
    if (!owner) continue;
    Json object = parse_object(owner->text);
    if (!object.is_object()) continue;
    references[i]["apiVersion"] = text_at(object, "apiVersion");
    references[i]["uid"] = text_at(object_at(object, "metadata"), "uid");
  }
  workload["metadata"].erase("creationTimestamp");
}

}  // namespace

void WorkloadWrites::add_writes(const StatusView& view, WorkloadId id,
                                std::vector<WriteKey>& due_writes) {
  const Workload& workload = view.cluster.workloads()[id];
  std::string space(view.cluster.vocabulary().strings.view(workload.name_space));
  WriteKey key{kKueueGroup, kWorkloadKind, space, workload.name, WritePart::Status};
  due_writes.push_back(key);
  key.part = WritePart::Metadata;
  due_writes.push_back(std::move(key));
  for (const WorkloadOwnership& row : owners_.of(view.cluster, id, view.objects)) {
    // Pods are ungated one by one, as the cycle places them.
    if (row.kind == "Pod") continue;
    WriteKey owner{row.group, row.kind, row.name_space, row.name, WritePart::Start};
    starts_[owner] = full_key(space, workload.name);
    written_[id].owners.push_back(owner);
    due_writes.push_back(std::move(owner));
  }
}

void WorkloadWrites::forget(const StatusView& view, Written& written) {
  if (written.name.empty()) return;
  for (const WriteKey& owner : written.owners) starts_.erase(owner);
  sent_.erase(full_key(view.cluster.vocabulary().strings, written.name_space, written.name));
  written = Written();
}

void WorkloadWrites::look_at_workloads(const StatusView& view, std::vector<WriteKey>& due_writes) {
  static const WorkloadNote none;
  const WorkloadRecords& records = view.cluster.workloads();
  written_.resize(records.workloads().size());
  for (uint32_t i = 0; i < written_.size(); ++i) {
    WorkloadId id(i);
    if (!records.alive(id)) {
      forget(view, written_[id]);
      continue;
    }
    const Workload& workload = records[id];
    const WorkloadNote& note = view.notes.contains(id) ? view.notes[id] : none;
    uint64_t standing = standing_of(workload, note);
    Written& written = written_[id];
    bool is_it = written.name_space == workload.name_space && written.name == workload.name;
    if (!is_it) forget(view, written);
    bool same = is_it && written.standing == standing;
    if (same && same_reasons(written.waits, note.waits)) continue;
    if (same && same_kind_of_reasons(written.waits, note.waits) &&
        view.now < written.since + kStandsUs) {
      TimeUs due = written.since + kStandsUs;
      next_look_ = next_look_ == kNoTime ? due : std::min(next_look_, due);
      continue;
    }
    written = {workload.name_space, workload.name, standing, note.waits, view.now, {}};
    if (workload.errors.empty()) add_writes(view, id, due_writes);
  }
}

void WorkloadWrites::look_at_pods(const StatusView& view, std::span<const PodId> pods,
                                  std::vector<WriteKey>& due_writes) {
  for (PodId id : pods) {
    const PodSlot& slot = view.cluster.pods()[id];
    const PodOutcome& outcome = view.record.pods[id];
    bool goes = slot.pod.hold == PodHold::Workload && outcome.status == PodStatus::Bound &&
                outcome.node.valid() && view.cluster.alive(id);
    if (!goes) {
      ungated_.erase(id.value);
      continue;
    }
    Ungated wanted{std::hash<std::string>()(slot.pod.uid), outcome.node};
    if (std::exchange(ungated_[id.value], wanted) == wanted) continue;
    std::string space(view.cluster.vocabulary().strings.view(slot.pod.name_space));
    due_writes.push_back({"", "Pod", std::move(space), slot.pod.name, WritePart::Start});
  }
}

void WorkloadWrites::look(const StatusView& view, std::span<const PodId> pods,
                          std::vector<WriteKey>& due_writes) {
  next_look_ = kNoTime;
  owners_.look_again();
  look_at_workloads(view, due_writes);
  look_at_pods(view, pods, due_writes);
}

WorkloadWrites::Made WorkloadWrites::request(const StatusView& view, const WriteKey& key) {
  if (key.kind == kWorkloadKind) return of_workload(view, key);
  return key.kind == "Pod" ? of_pod(view, key) : of_owner(view, key);
}

WorkloadWrites::Made WorkloadWrites::of_workload(const StatusView& view, const WriteKey& key) {
  WorkloadId id = find_workload_of(view.cluster, full_key(key.name_space, key.name));
  if (!id.valid()) return {};
  OneWorkload one(view, id, owners_);
  WorkloadSaver saver = one.saver(view);
  auto object = view.objects.find(key.group, key.kind, key.name_space, key.name);
  if (!object) {
    std::string path = view.objects.collection(key.group, key.kind, key.name_space);
    bool is_made = !one.owners.empty() && one.owners.front().made && !path.empty();
    if (key.part != WritePart::Status || !is_made) return {};
    Json made = saver.made_object(id);
    complete_owners(view, one.owners, made);
    return {.request = ApiRequest{.method = "POST", .target = path, .body = one_line(made)},
            .more = true};
  }
  Json before = parse_object(object->text);
  std::string line;
  if (!before.is_object() || !saver.save(raw_object(key, object->text), line)) return {};
  Json after = parse_object(line);
  return {.request = patch_request(*object, before, after, key.part, Guard::SameVersion)};
}

WorkloadWrites::Made WorkloadWrites::of_owner(const StatusView& view, const WriteKey& key) {
  auto found = starts_.find(key);
  if (found == starts_.end()) return {};
  WorkloadId id = find_workload_of(view.cluster, found->second);
  auto object = view.objects.find(key.group, key.kind, key.name_space, key.name);
  if (!id.valid() || !object) return {};
  const Workload& workload = view.cluster.workloads()[id];
  if (is_started(workload) && !says_admitted(view, workload)) return {.not_yet = true};
  OneWorkload one(view, id, owners_);
  Json before = parse_object(object->text);
  std::string line;
  if (!before.is_object() || !one.saver(view).save(raw_object(key, object->text), line)) return {};
  OwnerStep step = next_owner_step(*object, before, parse_object(line));
  return {.request = std::move(step.request), .not_yet = step.not_yet, .more = step.more};
}

// Whether the pods that were ungated before `pod` still belong where they were sent to. First drops
// the pods that are gone, or that the watch shows as ungated.
bool WorkloadWrites::may_ungate(const StatusView& view, const std::string& pod,
                                const TopologyAssignment& assignment, SentPods& sent) {
  const Cluster& cluster = view.cluster;
  auto value_at = [&](NodeId node, StrId level) {
    return node.valid() ? find_label(cluster.nodes()[node].labels, level) : StrId();
  };
  std::erase_if(sent, [&](const auto& entry) {
    size_t slash = entry.first.find('/');
    PodId id = cluster.find_pod(entry.first.substr(0, slash), entry.first.substr(slash + 1));
    if (!id.valid()) return true;
    const Pod& known = cluster.pods()[id].pod;
    return known.uid != entry.second.uid || known.hold != PodHold::Workload;
  });
  return std::all_of(sent.begin(), sent.end(), [&](const auto& entry) {
    if (entry.first == pod) return true;
    size_t slash = entry.first.find('/');
    PodId id = cluster.find_pod(entry.first.substr(0, slash), entry.first.substr(slash + 1));
    NodeId wanted = view.record.pods[id].node;
    NodeId sent_to = cluster.find_node(entry.second.node);
    return std::all_of(assignment.levels.begin(), assignment.levels.end(), [&](StrId level) {
      StrId value = value_at(wanted, level);
      return value.valid() && value == value_at(sent_to, level);
    });
  });
}

// A conflict (409) is no refusal here: an earlier write of ours may have been accepted.
void WorkloadWrites::done(const WriteKey& key, const ApiAnswer& answer) {
  if (key.part != WritePart::Start || key.kind != "Pod") return;
  std::string pod = full_key(key.name_space, key.name);
  bool refused = answer.status >= 400 && answer.status < kServerError && answer.status != kConflict;
  for (auto& [workload, sent] : sent_) {
    auto found = sent.find(pod);
    if (found == sent.end()) continue;
    found->second.taken = answer.accepted();
    if (refused) sent.erase(found);
  }
}

WorkloadWrites::Made WorkloadWrites::of_pod(const StatusView& view, const WriteKey& key) {
  PodId id = view.cluster.find_pod(key.name_space, key.name);
  if (!id.valid()) return {};
  const PodSlot& slot = view.cluster.pods()[id];
  const PodOutcome& outcome = view.record.pods[id];
  bool goes = slot.pod.hold == PodHold::Workload && slot.workload.valid() &&
              outcome.status == PodStatus::Bound && outcome.node.valid();
  if (!goes || !view.cluster.workloads().alive(slot.workload)) return {};
  const Workload& workload = view.cluster.workloads()[slot.workload];
  // A workload is admitted in the cycle after the one that decided so.
  if (!is_started(workload) || !says_admitted(view, workload)) return {.not_yet = true};
  return ungate(view, key, id);
}

WorkloadWrites::Made WorkloadWrites::ungate(const StatusView& view, const WriteKey& key, PodId id) {
  const PodSlot& slot = view.cluster.pods()[id];
  NodeId node = view.record.pods[id].node;
  const Workload& workload = view.cluster.workloads()[slot.workload];
  auto object = view.objects.find(key.group, key.kind, key.name_space, key.name);
  if (!object) return {};
  Json before = parse_object(object->text);
  bool same = before.is_object() && text_at(object_at(before, "metadata"), "uid") == slot.pod.uid;
  if (!same || !bears_gate(object_at(before, "spec"))) return {};
  SentPods& sent = sent_[full_key(key.name_space, workload.name)];
  std::string name = full_key(key.name_space, key.name);
  auto own = sent.find(name);
  if (own != sent.end() && own->second.taken && own->second.uid == slot.pod.uid) {
    return {.not_yet = true};
  }
  for (const PodSetAdmission& set : workload.admission->pod_sets) {
    if (set.name != slot.pod.pod_set || !set.topology) continue;
    if (!may_ungate(view, name, *set.topology, sent)) return {.not_yet = true};
  }
  OneWorkload one(view, slot.workload, owners_);
  Json after = before;
  one.saver(view).ungate_pod(after, id, node);
  sent[name] = {slot.pod.uid, view.cluster.nodes()[node].name, false};
  return {.request = patch_request(*object, before, after, key.part, Guard::SameVersion)};
}

}  // namespace trellis
