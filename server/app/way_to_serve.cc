#include "server/app/way_to_serve.h"

#include <random>
#include <string>
#include <utility>

namespace trellis {

LiveWrites start_writing(std::shared_ptr<const ClusterWatch> watch, BindPolicy policy,
                         const std::function<bool()>& may_write, Log& log) {
  LiveWrites writes;
  WritePool::Options pool;
  pool.credentials = watch->credentials();
  pool.may_write = may_write;
  writes.pool = std::make_shared<WritePool>(std::move(pool));
  KubeSink::Options sink;
  sink.pool = writes.pool;
  sink.node_there = [watch](const std::string& node) { return watch->holds("nodes", node); };
  sink.objects = watch;
  sink.copies_labels = [watch = std::move(watch)] { return watch->copies_labels(); };
  sink.active = may_write;
  sink.policy = policy;
  sink.seed = std::random_device()();
  writes.sink = std::make_shared<KubeSink>(std::move(sink), log);
  return writes;
}

}  // namespace trellis
