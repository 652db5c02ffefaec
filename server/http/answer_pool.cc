#include "server/http/answer_pool.h"

#include <exception>
#include <utility>

#include "server/system/process.h"

namespace trellis {
namespace {

// If memory runs out for an answer, the connection is closed.
EncodedAnswer answered(const HttpCodec& codec, RequestHead head) {
  try {
    return codec.answer(std::move(head));
  } catch (const std::exception&) {
    return {.bytes = "", .after = AfterAnswer::Close};
  }
}

}  // namespace

AnswerPool::AnswerPool(const AnswerPoolOptions& options, HttpHandler handler,
                       std::function<void()> on_finished)
    : codec_(options.codec, std::move(handler)), on_finished_(std::move(on_finished)) {
  for (size_t i = 0; i < options.threads; ++i) {
    threads_.emplace_back([this, niceness = options.niceness] { work(niceness); });
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

void AnswerPool::work(int niceness) {
  set_niceness(niceness);
  for (Asked asked{}; next(asked);) {
    EncodedAnswer answer = answered(codec_, std::move(asked.head));
    {
      std::lock_guard lock(mutex_);
      finished_.push_back({asked.connection, std::move(answer)});
    }
    on_finished_();
  }
}

}  // namespace trellis
