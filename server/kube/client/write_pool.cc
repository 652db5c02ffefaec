#include "server/kube/client/write_pool.h"

#include <utility>

namespace trellis {

WritePool::WritePool(Options options) : options_(std::move(options)) {
  for (int i = 0; i < options_.connections; ++i) {
    workers_.push_back(std::make_unique<Worker>(options_.credentials));
  }
  for (const std::unique_ptr<Worker>& worker : workers_) {
    worker->thread =
        std::jthread([this, own = worker.get()](const std::stop_token& stop) { run(*own, stop); });
  }
}

WritePool::~WritePool() {
  for (const std::unique_ptr<Worker>& worker : workers_) worker->thread.request_stop();
  std::unique_lock lock(mutex_);
  for (const std::unique_ptr<Worker>& worker : workers_) {
    cancel_until([&] { return worker->ended; }, worker->client, lock, woken_);
  }
}

void WritePool::submit(Urgency urgency, ApiRequest request, Done done) {
  {
    std::lock_guard lock(mutex_);
    queues_[static_cast<size_t>(urgency)].push_back({std::move(request), std::move(done)});
  }
  woken_.notify_one();
}

// False: the pool is stopping.
bool WritePool::take(const std::stop_token& stop, Write& write) {
  std::unique_lock lock(mutex_);
  std::deque<Write>* next = nullptr;
  bool found = woken_.wait(lock, stop, [&] {
    for (std::deque<Write>& queue : queues_) {
      if (queue.empty()) continue;
      next = &queue;
      return true;
    }
    return false;
  });
  if (!found || stop.stop_requested()) return false;
  write = std::move(next->front());
  next->pop_front();
  return true;
}

void WritePool::run(Worker& worker, const std::stop_token& stop) {
  Write write;
  while (take(stop, write)) {
    Outcome outcome;
    outcome.sent = !options_.may_write || options_.may_write();
    if (outcome.sent) outcome.answer = worker.client.send(write.request, kTimeoutMs);
    if (write.done) write.done(outcome);
  }
  std::lock_guard lock(mutex_);
  worker.ended = true;
  woken_.notify_all();
}

}  // namespace trellis
