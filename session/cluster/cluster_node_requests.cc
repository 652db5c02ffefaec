// The part of Cluster about requests for nodes.
#include <utility>

#include "session/cluster/cluster.h"
#include "session/cluster/named_table.h"

namespace trellis {

// What the autoscaler answers is part of why the gang waits.
void Cluster::upsert(NodeRequest request) {
  ++generation_;
  note_gang(request.gang);
  std::string key = full_key(vocabulary_.strings, request.name_space, request.name);
  node_requests_.upsert(key, std::move(request));
}

void Cluster::remove_node_request(std::string_view name_space, std::string_view name) {
  std::string key = full_key(name_space, name);
  NodeRequestId id = node_requests_.find(key);
  if (!id.valid()) return;
  ++generation_;
  note_gang(node_requests_[id].gang);
  node_requests_.remove(key);
}

void Cluster::note_gang(StrId key) {
  if (GangId gang = gangs_.find(key); gang.valid()) changes_.gangs.push_back(gang);
}

const NodeRequest* Cluster::node_request_of(GangId gang) const {
  if (node_requests_.all().empty()) return nullptr;
  StrId key = vocabulary_.strings.find(
      full_key(vocabulary_.strings, gangs_[gang].name_space, gangs_[gang].name));
  const NodeRequest* first = nullptr;
  for (uint32_t i = 0; i < node_requests_.all().size(); ++i) {
    NodeRequestId id(i);
    if (!node_requests_.alive(id) || node_requests_[id].gang != key) continue;
    if (first == nullptr || node_requests_[id].name < first->name) first = &node_requests_[id];
  }
  return first;
}

}  // namespace trellis
