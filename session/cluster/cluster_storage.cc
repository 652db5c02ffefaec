#include <utility>

#include "session/cluster/cluster.h"
#include "session/cluster/named_table.h"

namespace trellis {

void Cluster::upsert(Volume volume) {
  ++generation_;
  ++storage_.epoch;
  changes_.storage = true;
  std::string name = volume.name;
  storage_.volumes.insert_or_assign(std::move(name), std::move(volume));
}

void Cluster::upsert(StoragePool pool) {
  ++generation_;
  ++storage_.epoch;
  changes_.storage = true;
  std::string name = full_key(vocabulary_.strings.view(pool.name_space), pool.name);
  storage_.pools.insert_or_assign(std::move(name), std::move(pool));
}

void Cluster::remove_storage(const RemovedObjects& removed) {
  size_t gone = 0;
  for (const std::string& volume : removed.volumes) gone += storage_.volumes.erase(volume);
  for (const RemovedObjects::Named& pool : removed.storage_pools) {
    gone += storage_.pools.erase(full_key(pool.name_space, pool.name));
  }
  if (gone == 0) return;
  ++generation_;
  ++storage_.epoch;
  changes_.storage = true;
}

}  // namespace trellis
