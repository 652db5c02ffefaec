#include "server/writeback/claim_saver.h"

#include <utility>
#include <vector>

#include "server/devices/allocation_output.h"
#include "server/document/json_objects.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

Json reservation_of_group(const DeviceClaim& claim) {
  return {{"apiGroup", "scheduling.k8s.io"},
          {"resource", "podgroups"},
          {"name", claim.group},
          {"uid", claim.group_uid}};
}

}  // namespace

ClaimSaver::ClaimSaver(const Cluster& cluster, const BindNotes& notes)
    : devices_(cluster.devices()) {
  const StringTable& strings = cluster.vocabulary().strings;
  for (const auto& [name, claim] : devices_.claims) {
    for (const std::string& pod : claim.pods) {
      PodId id = cluster.find_pod(strings.view(claim.name_space), pod);
      if (!id.valid() || cluster.pods()[id].pod.uid.empty()) continue;
      uids_.emplace(full_key(strings, claim.name_space, pod), cluster.pods()[id].pod.uid.view());
    }
  }
  for (const auto& [id, note] : notes) {
    if (note.bound->claims.empty() || !cluster.alive(id)) continue;
    const Pod& pod = cluster.pods()[id].pod;
    if (!occupies_node(pod.status)) continue;
    for (const ClaimChoice& choice : note.bound->claims) {
      std::string claim = full_key(strings, pod.name_space, strings.view(choice.claim));
      if (choice.volume.empty()) {
        nodes_.emplace(std::move(claim), pod.node);
      } else {
        claims_.emplace(choice.volume, std::move(claim));
      }
    }
  }
}

bool ClaimSaver::save(const RawObject& raw, std::string& line) const {
  if (raw.kind == "PersistentVolumeClaim") {
    auto found = nodes_.find(full_key(raw.name_space, raw.name));
    if (found == nodes_.end()) return false;
    Json object = parse_object(raw.json);
    if (!object.is_object()) return false;
    object_at(object_at(object, "metadata"), "annotations")[kSelectedNode] = found->second;
    line = one_line(object);
    return true;
  }
  if (raw.kind == "ResourceClaim") return save_devices(raw, line);
  if (raw.kind != "PersistentVolume") return false;
  auto found = claims_.find(raw.name);
  if (found == claims_.end()) return false;
  Json object = parse_object(raw.json);
  if (!object.is_object()) return false;
  size_t slash = found->second.find('/');
  object_at(object, "spec")["claimRef"] = {{"apiVersion", "v1"},
                                           {"kind", "PersistentVolumeClaim"},
                                           {"namespace", found->second.substr(0, slash)},
                                           {"name", found->second.substr(slash + 1)}};
  object_at(object_at(object, "metadata"), "annotations")[kBoundByController] = "yes";
  line = one_line(object);
  return true;
}

// The status keeps what it says of pods that still use the claim.
bool ClaimSaver::save_devices(const RawObject& raw, std::string& line) const {
  std::string name = full_key(raw.name_space, raw.name);
  auto found = devices_.claims.find(name);
  if (found == devices_.claims.end()) return false;
  const DeviceClaim& claim = found->second;
  Json object = parse_object(raw.json);
  if (!object.is_object()) return false;
  bool was_allocated = object.contains("/status/allocation"_json_pointer);
  if (claim.claim->allocation.has_value() == was_allocated && !was_allocated) return false;
  Json& status = object_at(object, "status");
  if (!claim.claim->allocation) {
    object.erase("status");
    line = one_line(object);
    return true;
  }
  if (!was_allocated) {
    status["allocation"] = parse_object(allocation_json(*claim.claim->allocation, name));
  }
  if (!claim.group.empty()) {
    status["reservedFor"] = Json::array({reservation_of_group(claim)});
    line = one_line(object);
    return true;
  }
  Json reserved = Json::array();
  std::vector<std::string> missing = claim.pods;
  for (const Json& consumer : status.value("reservedFor", Json::array())) {
    bool pod = text_at(consumer, "resource") == "pods";
    if (pod && std::erase(missing, text_at(consumer, "name")) == 0) continue;
    reserved.push_back(consumer);
  }
  for (const std::string& pod : missing) {
    Json consumer = {{"resource", "pods"}, {"name", pod}};
    auto uid = uids_.find(full_key(raw.name_space, pod));
    consumer["uid"] = uid == uids_.end() ? pod : uid->second;
    reserved.push_back(std::move(consumer));
  }
  status["reservedFor"] = std::move(reserved);
  line = one_line(object);
  return true;
}

}  // namespace trellis
