// The ways in which a service can run: on files, as a dry run beside a live cluster's scheduler, or
// as the scheduler of a live cluster.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "server/kube/bind/kube_sink.h"
#include "server/kube/bind/pod_write.h"
#include "server/kube/client/write_pool.h"
#include "server/kube/lead/elector.h"
#include "server/kube/watch/cluster_watch.h"
#include "server/log/log.h"
#include "server/sources/object_source.h"

namespace trellis {

// On files: decisions are simulated.
struct ServeFiles {
  std::unique_ptr<ObjectSource> source;
};

struct LiveCluster {
  std::shared_ptr<const ClusterWatch> watch;  // that the source reads
  std::shared_ptr<Elector> elector;           // null: the service takes part in no election
};

// Whether this process may decide and write now; called on any thread.
inline std::function<bool()> leads_of(std::shared_ptr<const Elector> elector) {
  return [elector = std::move(elector)] { return !elector || elector->leads(); };
}

// A dry run: decisions are only shown, and another scheduler makes the real ones.
struct ServeBeside {
  std::unique_ptr<ObjectSource> source;
  LiveCluster cluster;
};

// Decisions are carried out while this service leads, and statuses are written back.
struct ServeCluster {
  std::unique_ptr<ObjectSource> source;
  LiveCluster cluster;
  std::shared_ptr<KubeSink> sink;
  std::shared_ptr<WritePool> writes;
  bool create_pod_groups = false;  // for owners' gangs
};

using WayToServe = std::variant<ServeFiles, ServeBeside, ServeCluster>;

// Constructs the parts of `serve` that write to a live cluster.
struct LiveWrites {
  std::shared_ptr<WritePool> pool;
  std::shared_ptr<KubeSink> sink;
};

// `may_write`: whether this process may decide and write now; called on any thread; empty: always.
LiveWrites start_writing(std::shared_ptr<const ClusterWatch> watch, BindPolicy policy,
                         const std::function<bool()>& may_write, Log& log);

}  // namespace trellis
