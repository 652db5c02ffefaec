// The part of Cluster about reservations.
#include <utility>

#include "session/cluster/cluster.h"

namespace trellis {

void Cluster::upsert(Reservation reservation) {
  ++generation_;
  std::string name = reservation.name;
  reservations_.insert_or_assign(std::move(name), std::move(reservation));
}

void Cluster::remove_reservations(const RemovedObjects& removed) {
  for (const std::string& name : removed.reservations) generation_ += reservations_.erase(name);
}

}  // namespace trellis
