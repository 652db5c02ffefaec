#include "server/http/answer_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace trellis {

AnswerPool::AnswerPool(const AnswerPoolOptions& options, HttpHandler handler,
                       std::function<void()> on_finished)
    : handler_(std::move(handler)), on_finished_(std::move(on_finished)) {
  for (size_t i = 0; i < options.threads; ++i) {
    threads_.emplace_back([this, options] { work(options); });
  }
}

AnswerPool::~AnswerPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void AnswerPool::ask(uint64_t connection, RequestHead head) {
  {
    std::lock_guard lock(mutex_);
    asked_.push_back({connection, std::move(head)});
  }
  changed_.notify_one();
}

std::vector<AnswerPool::Finished> AnswerPool::take_finished() {
  std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

bool AnswerPool::next(Asked& asked) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || !asked_.empty(); });
  if (stopping_) return false;
  asked = std::move(asked_.front());
  asked_.pop_front();
  return true;
}

void AnswerPool::work(const AnswerPoolOptions& options) {
  // Where two cores are shared, cycles go first. Linux keeps a niceness per thread.
  if (options.niceness != 0) {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), options.niceness);
  }
  HttpCodec codec(options.codec, handler_);
  for (Asked asked{}; next(asked);) {
    EncodedAnswer answer = codec.answer(std::move(asked.head.text), asked.head.after);
    {
      std::lock_guard lock(mutex_);
      finished_.push_back({asked.connection, std::move(answer)});
    }
    on_finished_();
  }
}

}  // namespace trellis
