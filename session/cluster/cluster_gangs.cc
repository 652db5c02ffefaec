// The part of Cluster about gangs.
#include <string>
#include <string_view>
#include <utility>

#include "session/cluster/cluster.h"

namespace trellis {

GangId Cluster::upsert(Gang gang) {
  ++generation_;
  std::string key = full_key(vocabulary_.strings.view(gang.name_space), gang.name);
  GangId id = gang_slot(vocabulary_.strings.intern(key));
  name_labels(gang, 1);
  name_labels(gangs_[id], -1);
  gangs_[id] = std::move(gang);
  changes_.gangs.push_back(id);
  return id;
}

// The topologies of single labels that the gang names come, and go with the last gang.
void Cluster::name_labels(const Gang& gang, int64_t by) {
  name_label(gang.topology, by);
  for (const Subgroup& part : gang.subgroups) name_label(part.topology, by);
}

void Cluster::name_label(const TopologyConstraint& constraint, int64_t by) {
  if (!constraint.topology.valid()) return;
  std::string_view name = vocabulary_.strings.view(constraint.topology);
  if (!is_label_topology(name)) return;
  int64_t& count = label_topologies_[constraint.topology.value];
  if (count == 0 && by > 0) upsert(Topology{std::string(name), {{constraint.required, StrId()}}});
  count += by;
  if (count > 0) return;
  label_topologies_.erase(constraint.topology.value);
  remove_topology(name);
}

void Cluster::remove_gang(std::string_view name_space, std::string_view name) {
  StrId key = vocabulary_.strings.find(full_key(name_space, name));
  GangId id = gangs_.find(key);
  if (!id.valid()) return;
  ++generation_;
  changes_.gangs.push_back(id);
  name_labels(gangs_[id], -1);
  if (pods_of_gang_[id].empty()) {
    gangs_.remove(key);
    return;
  }
  // Pods still name the gang.
  Gang gone;
  gone.name_space = gangs_[id].name_space;
  gone.name = gangs_[id].name;
  gone.errors.push_back({.code = ReasonCode::GangNotFound, .subject = gone.name});
  gangs_[id] = std::move(gone);
}

}  // namespace trellis
