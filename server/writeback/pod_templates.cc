#include "server/writeback/pod_templates.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

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

namespace {

Json to_json(const Toleration& toleration, const StringTable& strings) {
  Json object = Json::object();
  bool exists = toleration.op == Toleration::Op::Exists;
  if (toleration.key != StringTable::kEmpty) object["key"] = strings.view(toleration.key);
  object["operator"] = exists ? "Exists" : "Equal";
  if (!exists) object["value"] = strings.view(toleration.value);
  if (!toleration.any_effect) {
    switch (toleration.effect) {
      case TaintEffect::NoSchedule:
        object["effect"] = "NoSchedule";
        break;
      case TaintEffect::PreferNoSchedule:
        object["effect"] = "PreferNoSchedule";
        break;
      case TaintEffect::NoExecute:
        object["effect"] = "NoExecute";
        break;
    }
  }
  return object;
}

bool is_annotated(const Json& original, const char* annotation) {
  auto metadata = original.find("metadata");
  if (metadata == original.end() || !metadata->is_object()) return false;
  auto annotations = metadata->find("annotations");
  return annotations != metadata->end() && annotations->is_object() &&
         annotations->contains(annotation);
}

void restore(Json& object, const Json& original, const char* key) {
  auto found = original.find(key);
  if (found != original.end()) {
    object[key] = *found;
  } else {
    object.erase(key);
  }
}

}  // namespace

void add_gate(Json& spec, const char* gate) {
  Json& gates = spec["schedulingGates"];
  if (!gates.is_array()) gates = Json::array();
  for (const Json& item : gates) {
    if (item.is_object() && holds_text(item, "name", gate)) return;
  }
  gates.push_back({{"name", gate}});
}

void remove_gate(Json& spec, const char* gate) {
  auto gates = spec.find("schedulingGates");
  if (gates == spec.end() || !gates->is_array()) return;
  Json kept = Json::array();
  for (const Json& item : *gates) {
    if (!item.is_object() || !holds_text(item, "name", gate)) kept.push_back(item);
  }
  if (kept.empty()) {
    spec.erase("schedulingGates");
  } else {
    *gates = std::move(kept);
  }
}

bool bears_gate(const Json& spec) {
  auto gates = spec.find("schedulingGates");
  return gates != spec.end() && gates->is_array() && !gates->empty();
}

void add_flavor(Json& spec, const Flavor& flavor, const StringTable& strings) {
  for (const Label& label : flavor.node_labels) {
    Json& selector = object_at(spec, "nodeSelector");
    std::string key(strings.view(label.key));
    if (!selector.contains(key)) selector[key] = strings.view(label.value);
  }
  for (const Toleration& toleration : flavor.tolerations) {
    Json& list = spec["tolerations"];
    if (!list.is_array()) list = Json::array();
    Json wanted = to_json(toleration, strings);
    if (std::find(list.begin(), list.end(), wanted) == list.end()) list.push_back(wanted);
  }
}

bool bears_start(const Json& pod_template) { return is_annotated(pod_template, kWorkloadKey); }

void restore_template(Json& pod_template, const Json& original) {
  Json& metadata = object_at(pod_template, "metadata");
  erase_from(metadata, "annotations", kWorkloadKey);
  erase_from(metadata, "labels", kPodSetKey);
  restore_pod(pod_template, original);
  if (metadata.empty()) pod_template.erase("metadata");
}

void restore_pod(Json& pod, const Json& original) {
  if (!is_annotated(original, kUnconstrainedKey)) {
    erase_from(object_at(pod, "metadata"), "annotations", kUnconstrainedKey);
  }
  auto spec = original.find("spec");
  if (spec == original.end() || !spec->is_object()) return;
  Json& own = object_at(pod, "spec");
  for (const char* key : {"nodeSelector", "tolerations", "schedulingGates"}) {
    restore(own, *spec, key);
  }
}

Json template_of_pod(const Json& pod) {
  Json made = Json::object();
  if (auto metadata = pod.find("metadata"); metadata != pod.end() && metadata->is_object()) {
    for (const char* key : {"labels", "annotations"}) {
      if (metadata->contains(key)) object_at(made, "metadata")[key] = (*metadata)[key];
    }
  }
  Json& spec = object_at(made, "spec");
  if (auto found = pod.find("spec"); found != pod.end() && found->is_object()) spec = *found;
  spec.erase("nodeName");
  remove_gate(spec, kTopologyGate);
  remove_gate(spec, kAdmissionGate);
  return made;
}

}  // namespace trellis
