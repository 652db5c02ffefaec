// The ways in which a service can run: on files, beside a live cluster, or for one.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "server/kube/bind/kube_sink.h"
#include "server/kube/client/write_pool.h"
#include "server/kube/lead/elector.h"
#include "server/kube/watch/cluster_watch.h"
#include "server/sources/object_source.h"

namespace trellis {

// On files: decisions come true by themselves.
struct ServeFiles {
  std::unique_ptr<ObjectSource> source;
};

struct LiveCluster {
  std::shared_ptr<const ClusterWatch> watch;  // that the source reads
  std::shared_ptr<Elector> elector;           // null: it does not stand for election
};

// Whether it is for us to decide and to write now; from any thread.
inline std::function<bool()> leads_of(std::shared_ptr<const Elector> elector) {
  return [elector = std::move(elector)] { return !elector || elector->leads(); };
}

// A dry run: decisions are shown, another scheduler makes those that count.
struct ServeBeside {
  std::unique_ptr<ObjectSource> source;
  LiveCluster cluster;
};

// Decisions are carried out while it leads, and written back.
struct ServeCluster {
  std::unique_ptr<ObjectSource> source;
  LiveCluster cluster;
  std::shared_ptr<KubeSink> sink;
  std::shared_ptr<WritePool> writes;
  bool create_pod_groups = false;  // for owners' gangs
};

using WayToServe = std::variant<ServeFiles, ServeBeside, ServeCluster>;

}  // namespace trellis
