// The status of a Queue: what its gangs hold and request, and its fair share of the cluster.
//
// The figures change with almost every cycle, so they are looked at once every kEveryUs at most.
// Cost of a look: that of report_queues (session/explain/queue_report.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/queue_amounts.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/write_queue.h"

namespace trellis {

class QueueStatuses {
 public:
  static constexpr TimeUs kEveryUs = 5 * kSecondUs;

  void look(const StatusView& view, std::vector<WriteKey>& due_writes);
  // When the next look may find more; kNoTime: with the next cycle.
  TimeUs next_look() const { return next_look_; }
  // nullopt: there is nothing to write.
  std::optional<ApiRequest> request(const StatusView& view, const WriteKey& key) const;

 private:
  struct Written {
    std::string queue;  // another one may take the slot
    QueueAmounts allocated;
    QueueAmounts non_preemptible;
    QueueAmounts requested;
    std::optional<QueueAmounts> fair_share;
    bool operator==(const Written&) const = default;
  };

  IndexedVector<QueueId, Written> written_;
  TimeUs looked_ = kNoTime;
  TimeUs next_look_ = kNoTime;
};

}  // namespace trellis
