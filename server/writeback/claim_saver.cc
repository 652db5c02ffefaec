#include "server/writeback/claim_saver.h"

#include <utility>

#include "server/document/json_objects.h"
#include "session/cluster/named_table.h"

namespace trellis {

ClaimSaver::ClaimSaver(const Cluster& cluster, const BindNotes& notes) {
  const StringTable& strings = cluster.vocabulary().strings;
  for (const auto& [id, note] : notes) {
    if (note.claims.empty() || !cluster.alive(id)) continue;
    const Pod& pod = cluster.pods()[id].pod;
    if (!occupies_node(pod.status)) continue;
    for (const ClaimChoice& choice : note.claims) {
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

}  // namespace trellis
