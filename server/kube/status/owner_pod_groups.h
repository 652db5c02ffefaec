// PodGroup objects for gangs that are formed by the owners of pods, so that other programs can read
// them.
//
// Each has the gang's name, is owned by the object whose pods form the gang (and is removed with
// it), and names that object in an annotation: the pods need not name the PodGroup. Its content is
// a copy: the owner's minimum and subgroups take precedence, and where they differ the PodGroup is
// rewritten. There is no PodGroup for pods that are a gang each, gangs of a Workload, gangs with
// errors, gangs that have the name of another gang, and gangs of other schedulers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/kube/client/api_request.h"
#include "server/kube/client/write_pool.h"
#include "session/cluster/cluster.h"

namespace trellis {

// An object's text as JSON; empty: there is no such object.
using FindObject = std::function<std::string(std::string_view group, std::string_view kind,
                                             std::string_view name_space, std::string_view name)>;

// The writes that give each such gang its PodGroup, in the order of the gangs. Cost: O(pods), and
// for each such gang the text of a few objects.
std::vector<ApiRequest> owner_pod_group_requests(const Cluster& cluster, const FindObject& find);

// The PodGroups of owners that are being written: each write is sent once, until its result can be
// seen.
//
// Guarantees: one write of a PodGroup is in flight at a time; the same write is not sent again
// before kSeenMs after it succeeded (the watch shows it by then), or kAgainMs after it failed. Time
// comes in as an argument. Any thread; cost of a look: O(requests log requests) under a lock.
class OwnerPodGroupBook {
 public:
  static constexpr int64_t kSeenMs = 10'000;
  static constexpr int64_t kAgainMs = 30'000;
  // WritePool::submit, with a fixed urgency.
  using Send = std::function<void(ApiRequest, WritePool::Done)>;

  explicit OwnerPodGroupBook(Send send) : send_(std::move(send)) {}

  // `wanted`: all that has to be written now. Writes that are no longer among it are forgotten.
  void look(std::vector<ApiRequest> wanted, int64_t now_ms);

 private:
  struct Write {
    std::string body;
    int64_t not_before_ms = 0;
    bool on_its_way = false;
    bool wanted = false;
  };
  struct Writes {
    std::mutex mutex;
    std::map<std::string, Write> of;  // by key_of() its request
  };

  Send send_;
  std::shared_ptr<Writes> writes_ = std::make_shared<Writes>();  // answers may outlive this
};

}  // namespace trellis
