// The thread that writes the results of cycles back to the cluster. It looks at each finished cycle
// through the observer, and sends the writes of its StatusBook through the WritePool.
//
// Guarantees: a cycle never waits for this thread. Nothing is looked at or sent while `may_write`
// returns false; once it returns true again, everything is compared with the server's objects
// again. Cycles that finish faster than the thread looks are skipped, except for their evictions.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/kube/client/write_pool.h"
#include "server/kube/status/status_book.h"
#include "server/kube/status/wanted_writes.h"
#include "server/kube/watch/live_objects.h"
#include "server/log/log.h"
#include "server/serve/finished_cycle.h"
#include "server/serve/observer.h"

namespace trellis {

class StatusThread {
 public:
  struct Options {
    Observer& observer;  // these outlive it
    WritePool& pool;
    Log& log;
    std::shared_ptr<const LiveObjects> objects;
    std::function<bool()> may_write;  // called from any thread
    bool create_pod_groups = false;   // for gangs of owners
    NodeRequests node_requests;       // for gangs that wait for nodes
    StatusBook::Options book;
  };
  explicit StatusThread(Options options);
  ~StatusThread();
  StatusThread(const StatusThread&) = delete;
  StatusThread& operator=(const StatusThread&) = delete;

  // Called on the cycle thread, after the observer has received the cycle. O(evictions).
  void finished(const CycleRecord& record, const Cluster& cluster);

  // From any thread.
  void configure(const NodeRequests& requests);
  StatusFigures figures() const;

 private:
  // Shared with the writes in flight, whose answers may arrive after the thread has ended.
  struct Inbox {
    struct Answer {
      WriteKey key;
      EventBook::Ticket ticket = 0;  // 0: the answer is about a status
      int64_t generation = 0;        // of the book that sent it
      bool sent = true;
      ApiAnswer answer;
    };
    std::mutex mutex;
    std::condition_variable_any woken;
    bool cycle = false;
    std::vector<ClusterEvent> evictions;
    std::vector<Answer> answers;
    std::optional<NodeRequests> node_requests;  // new ones
  };

  void run(const std::stop_token& stop);
  void turn();
  void wait(const std::stop_token& stop);
  void take_answers(std::vector<Inbox::Answer> answers);
  void look();
  void send();
  void take_settings();
  void write_objects();
  void submit(StatusBook::Write write);
  void submit(EventBook::Write write);
  void rebuild_cluster();
  void replace_book();

  Options options_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::unique_ptr<StatusBook> book_;
  int64_t generation_ = 0;
  int64_t looked_at_ = 0;       // number of the cycle
  int64_t cluster_number_ = 1;  // of the cluster that book_ is about
  WantedWrites objects_;        // PodGroups, and requests for nodes
  int64_t written_at_ = 0;      // number of the cycle that they are for
  TimeUs next_objects_ = 0;
  mutable std::mutex figures_mutex_;
  StatusFigures figures_;  // guarded by figures_mutex_
  StatusFigures past_;     // of books before this one
  std::jthread thread_;
};

}  // namespace trellis
