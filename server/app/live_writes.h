// Constructs the parts of `serve` that write to a live cluster.
#pragma once

#include <functional>
#include <memory>

#include "server/kube/bind/bind_policy.h"
#include "server/kube/bind/kube_sink.h"
#include "server/kube/client/write_pool.h"
#include "server/kube/watch/cluster_watch.h"
#include "server/log/log.h"

namespace trellis {

struct LiveWrites {
  std::shared_ptr<WritePool> pool;
  std::shared_ptr<KubeSink> sink;
};

// `may_write`: whether this process may decide and write now; called on any thread; empty: always.
LiveWrites start_writing(std::shared_ptr<const ClusterWatch> watch, BindPolicy policy,
                         const std::function<bool()>& may_write, Log& log);

}  // namespace trellis
