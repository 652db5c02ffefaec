#include "server/kube/status/workload_owners.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/document/json_objects.h"
#include "server/kube/watch/owner_reference.h"
#include "server/objects/workload_name.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

// Each copy may have a workload of its own.
constexpr int64_t kMostNames = 10'000;
constexpr std::string_view kAsks = "\"kueue.x-k8s.io/queue-name\"";

std::vector<WorkloadOwnership> named_owners(const std::string& text, const std::string& name_space,
                                            const std::string& workload) {
  std::vector<WorkloadOwnership> rows;
  Json object = parse_object(text);
  if (!object.is_object()) return rows;
  Json& metadata = object_at(object, "metadata");
  auto owners = metadata.find("ownerReferences");
  if (owners == metadata.end() || !owners->is_array()) return rows;
  for (const Json& owner : *owners) {
    if (!owner.is_object()) continue;
    rows.push_back({name_space, workload, group_of(text_at(owner, "apiVersion")),
                    text_at(owner, "kind"), text_at(owner, "name"), false});
  }
  return rows;
}

// The names that the names of the owner's workloads are made of.
std::vector<std::string> names_of_copies(const OwnerKind& kind, const std::string& name,
                                         const Json& object) {
  if (kind.roles != RolesAt::LeaderWorkers) return {name};
  const Json* replicas = nullptr;
  if (auto spec = object.find("spec"); spec != object.end() && spec->is_object()) {
    if (auto found = spec->find("replicas"); found != spec->end()) replicas = &*found;
  }
  bool is_said = replicas != nullptr && replicas->is_number_integer();
  int64_t copies = is_said ? std::clamp<int64_t>(replicas->get<int64_t>(), 0, kMostNames) : 1;
  std::vector<std::string> names;
  for (int64_t i = 0; i < copies; ++i) names.push_back(name + "-" + std::to_string(i));
  return names;
}

}  // namespace

WorkloadOwners::Owner WorkloadOwners::read_owner(const OwnerKind& kind, const StoredText& stored) {
  std::string text = stored.str();
  Owner owner{.text = stored, .name_space = {}, .name = {}, .workloads = {}};
  if (text.find(kAsks) == std::string::npos) return owner;
  Json object = parse_object(text);
  if (!object.is_object()) return owner;
  const Json& metadata = object_at(object, "metadata");
  owner.name_space = text_at(metadata, "namespace");
  owner.name = text_at(metadata, "name");
  std::string uid = text_at(metadata, "uid");
  for (const std::string& name : names_of_copies(kind, owner.name, object)) {
    owner.workloads.push_back(workload_name({kind.group, kind.kind, name, uid}));
  }
  return owner;
}

void WorkloadOwners::read_kind(const OwnerKind& kind, const LiveObjects& objects) {
  Owners owners;
  Owners& before = owners_[&kind];
  for (auto& [key, text] : objects.list(kind.group, kind.kind)) {
    auto known = before.find(key);
    bool same = known != before.end() && known->second.text == text;
    Owner owner = same ? std::move(known->second) : read_owner(kind, text);
    for (const std::string& workload : owner.workloads) {
      by_workload_[full_key(owner.name_space, workload)] = {
          owner.name_space,       workload,   std::string(kind.group),
          std::string(kind.kind), owner.name, true};
    }
    owners.emplace(key, std::move(owner));
  }
  before = std::move(owners);
}

void WorkloadOwners::read_owners(const LiveObjects& objects) {
  by_workload_.clear();
  for (const OwnerKind& kind : owner_kinds()) {
    if (kind.queued) read_kind(kind, objects);
  }
}

std::vector<WorkloadOwnership> WorkloadOwners::of(const Cluster& cluster, WorkloadId id,
                                                  const LiveObjects& objects) {
  const Workload& workload = cluster.workloads()[id];
  std::string space(cluster.vocabulary().strings.view(workload.name_space));
  if (auto object = objects.find("kueue.x-k8s.io", "Workload", space, workload.name)) {
    return named_owners(object->text, space, workload.name);
  }
  std::string key = full_key(space, workload.name);
  if (!by_workload_.contains(key) && !std::exchange(is_fresh_, true)) read_owners(objects);
  if (auto owner = by_workload_.find(key); owner != by_workload_.end()) return {owner->second};
  // A pod that requests a workload for itself, or a group of such pods.
  std::vector<WorkloadOwnership> rows;
  for (PodId pod : cluster.workloads().pods_of(id)) {
    rows.push_back({space, workload.name, "", "Pod", cluster.pods()[pod].pod.name, true});
  }
  std::ranges::sort(rows, {}, &WorkloadOwnership::name);
  return rows;
}

}  // namespace trellis
