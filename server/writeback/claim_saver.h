// Saves what was chosen for the claims of pods that were bound: as a scheduler writes it in a live
// cluster, before a controller binds the claims.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "server/objects/raw_object.h"
#include "server/writeback/notes.h"
#include "session/cluster/cluster.h"

namespace trellis {

inline constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";

class ClaimSaver {
 public:
  ClaimSaver(const Cluster& cluster, const BindNotes& notes);

  // True: `line` is the object's text with what was chosen. A claim for which a volume is made gets
  // the node, a volume that a claim is bound to gets the claim, and a ResourceClaim its allocation,
  // or loses it.
  bool save(const RawObject& raw, std::string& line) const;

 private:
  bool save_devices(const RawObject& raw, std::string& line) const;

  const DeviceStock& devices_;
  absl::flat_hash_map<std::string, std::string> nodes_;   // by claim, "NAMESPACE/NAME"
  absl::flat_hash_map<std::string, std::string> claims_;  // by volume
  absl::flat_hash_map<std::string, std::string> uids_;    // of pods that have devices
};

}  // namespace trellis
