#include "server/kube/status/wanted_writes.h"

#include <utility>

namespace trellis {
namespace {

// The target of a POST does not contain the object's name, but its body does, and stays the same.
std::string key_of(const ApiRequest& request) {
  return request.target + (request.method == "POST" ? request.body : "");
}

}  // namespace

void WantedWrites::look(std::vector<ApiRequest> wanted, int64_t now_ms) {
  std::vector<std::pair<std::string, ApiRequest>> due;
  {
    std::scoped_lock lock(writes_->mutex);
    for (auto& [key, write] : writes_->of) write.wanted = false;
    for (ApiRequest& request : wanted) {
      std::string key = key_of(request);
      Write& write = writes_->of[key];
      write.wanted = true;
      bool done = write.body == request.body && now_ms < write.not_before_ms;
      if (write.on_its_way || done) continue;
      write.body = request.body;
      write.on_its_way = true;
      due.emplace_back(std::move(key), std::move(request));
    }
    std::erase_if(writes_->of, [](const auto& entry) {
      return !entry.second.wanted && !entry.second.on_its_way;
    });
  }
  for (auto& [key, request] : due) {
    send_(std::move(request), [writes = writes_, key, now_ms](const WritePool::Outcome& outcome) {
      std::scoped_lock lock(writes->mutex);
      auto found = writes->of.find(key);
      if (found == writes->of.end()) return;
      // After a conflict the object exists, too: another writer was faster.
      bool there =
          outcome.sent && (outcome.answer.accepted() || outcome.answer.status == kConflict);
      found->second.on_its_way = false;
      found->second.not_before_ms = now_ms + (there ? kSeenMs : kAgainMs);
    });
  }
}

}  // namespace trellis
