// Writes of whole objects, each of which is wanted until its result can be seen: it is sent once.
//
// Guarantees: one write of an object is in flight at a time; the same write is not sent again
// before kSeenMs after it succeeded (the watch shows it by then), or kAgainMs after it failed. Time
// comes in as an argument. Any thread; cost of a look: O(requests log requests) under a lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/client/api_request.h"
#include "server/kube/client/write_pool.h"

namespace trellis {

class WantedWrites {
 public:
  static constexpr int64_t kSeenMs = 10'000;
  static constexpr int64_t kAgainMs = 30'000;
  // WritePool::submit, with a fixed urgency.
  using Send = std::function<void(ApiRequest, WritePool::Done)>;

  explicit WantedWrites(Send send) : send_(std::move(send)) {}

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
