// Carries decisions out in a live cluster: binds and evicts pods through a pool of connections,
// while cycles go on.
//
// Guarantees: no gang stays below its minimum because of a bind that failed without the log saying
// so, and what the policy says being done. Decisions about pods that a gate still keeps from being
// bound are left alone: they are made again. Cost for the cycle thread: O(decisions), and a lock
// that is never held over anything slow.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/kube/bind/bind_book.h"
#include "server/kube/bind/bind_policy.h"
#include "server/kube/client/write_pool.h"
#include "server/kube/watch/live_objects.h"
#include "server/log/log.h"
#include "server/serve/decision_sink.h"

namespace trellis {

class KubeSink : public DecisionSink {
 public:
  struct Options {
    std::shared_ptr<WritePool> pool;
    std::function<bool(const std::string& node)> node_there;  // from any thread
    std::shared_ptr<const LiveObjects> objects;               // as they are now
    std::function<bool()> active;                             // empty: always
    std::function<bool()> copies_labels;                      // of WriteHabits; empty: it does
    BindPolicy policy;
    uint64_t seed = 0;
  };
  // `log` must outlive it, and the pool.
  KubeSink(Options options, Log& log);
  ~KubeSink() override;
  KubeSink(const KubeSink&) = delete;
  KubeSink& operator=(const KubeSink&) = delete;

  bool active() override;
  void take(const CycleRecord& record, const Cluster& cluster) override;
  void seen(const ObjectChanges& changes, const StringTable& strings) override;
  Forgotten failed() override;

  // From any thread.
  BindFigures take_figures();

 private:
  // With the writes that are under way, whichever of both ends first.
  struct Shared {
    explicit Shared(BindBook::Options options) : book(std::move(options)) {}
    void wake();
    std::mutex mutex;
    std::condition_variable_any woken;
    BindBook book;         // guarded by mutex
    bool changed = false;  // guarded by mutex; since the sender last looked
  };

  void run(const std::stop_token& stop);
  void send_all();
  std::vector<PodWrite> orders_of(const CycleRecord& record, const Cluster& cluster) const;
  std::vector<GangId> broken_gangs(const Cluster& cluster);
  void repair(const CycleRecord& record, const Cluster& cluster, GangId gang, int64_t now_ms);

  Options options_;
  Log& log_;
  std::shared_ptr<Shared> shared_;
  bool was_active_ = false;
  std::map<std::string, std::vector<PodWrite>> doubtful_;  // by gang: binds of it that failed
  std::jthread sender_;
};

}  // namespace trellis
