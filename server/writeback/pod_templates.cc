#include "server/writeback/pod_templates.h"

#include <cctype>
#include <initializer_list>

#include "framework/ascii.h"
#include "server/objects/decode_meta.h"
#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

// null: the path does not exist.
Json* find_path(Json& object, std::initializer_list<const char*> path) {
  Json* at = &object;
  for (const char* key : path) {
    if (!at->is_object()) return nullptr;
    auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

class Templates {
 public:
  void add(std::string pod_set, Json* found) {
    if (found != nullptr && found->is_object()) rows_.push_back({std::move(pod_set), found});
  }

  void add_replicated(Json& owner) {
    Json* replicas = find_path(owner, {"spec", "replicatedJobs"});
    if (replicas == nullptr || !replicas->is_array()) return;
    for (Json& replica : *replicas) {
      add(text_at(replica, "name"), find_path(replica, {"template", "spec", "template"}));
    }
  }

  void add_leader_worker_set(Json& owner) {
    Json* both = find_path(owner, {"spec", "leaderWorkerTemplate"});
    if (both == nullptr) return;
    Json* leader = find_path(*both, {"leaderTemplate"});
    add("leader", leader);
    add(leader == nullptr ? "main" : "worker", find_path(*both, {"workerTemplate"}));
  }

  void add_ray_cluster(Json& spec) {
    add("head", find_path(spec, {"headGroupSpec", "template"}));
    Json* groups = find_path(spec, {"workerGroupSpecs"});
    if (groups == nullptr || !groups->is_array()) return;
    for (Json& group : *groups) {
      add(lower(text_at(group, "groupName")), find_path(group, {"template"}));
    }
  }

  // `spec.*ReplicaSpecs`, whichever kind it is.
  void add_training(Json& spec) {
    for (auto& [key, roles] : spec.items()) {
      if (!std::string_view(key).ends_with("ReplicaSpecs") || !roles.is_object()) continue;
      for (auto& [role, replica] : roles.items()) {
        add(lower(role), find_path(replica, {"template"}));
      }
    }
  }

  std::vector<RoleTemplate> take() { return std::move(rows_); }

 private:
  std::vector<RoleTemplate> rows_;
};

}  // namespace

std::vector<RoleTemplate> pod_templates(Json& owner) {
  Templates templates;
  std::string kind = text_at(owner, "kind");
  Json* spec = find_path(owner, {"spec"});
  if (spec == nullptr) return {};
  if (kind == "Job" || kind == "StatefulSet") {
    templates.add("main", find_path(*spec, {"template"}));
  } else if (kind == "JobSet") {
    templates.add_replicated(owner);
  } else if (kind == "LeaderWorkerSet") {
    templates.add_leader_worker_set(owner);
  } else if (kind == "RayCluster") {
    templates.add_ray_cluster(*spec);
  } else if (kind == "RayJob") {
    if (Json* cluster = find_path(*spec, {"rayClusterSpec"})) templates.add_ray_cluster(*cluster);
    templates.add("submitter", find_path(*spec, {"submitterPodTemplate"}));
  } else {
    templates.add_training(*spec);
  }
  return templates.take();
}

Json* suspended_by(Json& owner) {
  std::string api_version = text_at(owner, "apiVersion");
  const OwnerKind* kind = find_owner_kind(api_group(api_version), text_at(owner, "kind"));
  if (kind == nullptr || kind->suspend == SuspendAt::Nowhere) return nullptr;
  Json& spec = object_at(owner, "spec");
  return kind->suspend == SuspendAt::Spec ? &spec : &object_at(spec, "runPolicy");
}

bool is_suspended(const Json& owner) {
  Json copy = owner;
  Json* at = suspended_by(copy);
  return at != nullptr && at->contains("suspend") && (*at)["suspend"] == true;
}

}  // namespace trellis
