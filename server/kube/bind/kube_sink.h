// Carries decisions out in a live cluster: binds and evicts pods through a pool of connections,
// while cycles go on.
//
// Guarantees: when a failed bind leaves a gang below its minimum, the log says so and the
// BindPolicy is applied. Decisions about pods that a gate still keeps from being bound are not
// carried out: later cycles make them again. Cost for the cycle thread: O(decisions), and a lock
// that is never held during slow work.
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
#include "server/kube/bind/claim_book.h"
#include "server/kube/bind/grant_book.h"
#include "server/kube/bind/pod_write.h"
#include "server/kube/client/write_pool.h"
#include "server/kube/watch/live_objects.h"
#include "server/log/log.h"
#include "server/serve/decision_sink.h"

namespace trellis {

class KubeSink : public DecisionSink {
 public:
  struct Options {
    std::shared_ptr<WritePool> pool;
    std::function<bool(const std::string& node)> node_there;  // called from any thread
    std::shared_ptr<const LiveObjects> objects;               // the current ones
    std::function<bool()> active;                             // empty: always
    std::function<bool()> copies_labels;                      // see WriteHabits; empty: true
    BindPolicy policy;
    uint64_t seed = 0;
  };
  // REQUIRES: `log` and the pool outlive this object.
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
  // Held by the sink and by each write in flight, until the last of them has ended.
  struct Shared {
    explicit Shared(BindBook::Options options);
    void wake();
    // Hands on binds of one gang: to its claims for devices, where it has some.
    void order_binds(int64_t now_ms, std::vector<PodWrite> pods);
    // Passes binds between the books.
    void pass_on(int64_t now_ms);
    std::mutex mutex;
    std::condition_variable_any woken;
    ClaimBook claims;      // guarded by mutex
    GrantBook grants;      // guarded by mutex
    BindBook book;         // guarded by mutex
    bool changed = false;  // guarded by mutex; since the sender last looked
  };

  void run(const std::stop_token& stop);
  void send_all();
  std::vector<PodWrite> orders_of(const CycleRecord& record, const Cluster& cluster) const;
  void await_claims(const Cluster& cluster, int64_t now_ms);
  void order(const CycleRecord& record, const Cluster& cluster, std::vector<PodWrite> orders,
             int64_t now_ms);
  std::vector<GangId> broken_gangs(const Cluster& cluster);
  void repair(const CycleRecord& record, const Cluster& cluster, GangId gang, int64_t now_ms);

  Options options_;
  Log& log_;
  std::shared_ptr<Shared> shared_;
  bool was_active_ = false;
  std::map<std::string, std::vector<PodWrite>> doubtful_;  // failed binds, by gang
  std::jthread sender_;
};

}  // namespace trellis
