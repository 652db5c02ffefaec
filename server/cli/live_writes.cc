#include "server/cli/live_writes.h"

#include <chrono>
#include <random>
#include <string>
#include <utility>

#include "server/kube/credentials.h"

namespace trellis {
namespace {

TimeUs wall_clock_now_us() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

LiveWrites start_writing(ClusterAccess access, std::shared_ptr<const ClusterWatch> watch,
                         BindPolicy policy, const std::function<bool()>& may_write, Log& log) {
  LiveWrites writes;
  WritePool::Options pool;
  pool.credentials = std::make_shared<Credentials>(std::move(access), wall_clock_now_us);
  pool.may_write = may_write;
  writes.pool = std::make_shared<WritePool>(std::move(pool));
  KubeSink::Options sink;
  sink.pool = writes.pool;
  sink.node_there = [watch = std::move(watch)](const std::string& node) {
    return watch->holds("nodes", node);
  };
  sink.active = may_write;
  sink.policy = policy;
  sink.seed = std::random_device()();
  writes.sink = std::make_shared<KubeSink>(std::move(sink), log);
  return writes;
}

}  // namespace trellis
