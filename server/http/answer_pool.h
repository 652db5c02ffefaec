// The threads that make answers. A slow client never occupies one: the pool receives a head once it
// is complete, and hands the answer's bytes to the loop that writes them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/http/http_codec.h"
#include "server/http/request_head.h"

namespace trellis {

struct AnswerPoolOptions {
  size_t threads = 4;
  int niceness = 0;  // of these threads
  CodecOptions codec;
};

class AnswerPool {
 public:
  struct Finished {
    uint64_t connection;
    EncodedAnswer answer;
  };

  // `on_finished` is called on the pool's threads, and must not block.
  AnswerPool(const AnswerPoolOptions& options, HttpHandler handler,
             std::function<void()> on_finished);
  ~AnswerPool();  // waits for the handlers that run; answers that were not taken are dropped

  void ask(uint64_t connection, RequestHead head);
  std::vector<Finished> take_finished();

 private:
  struct Asked {
    uint64_t connection;
    RequestHead head;
  };

  void work(int niceness);
  bool next(Asked& asked);

  HttpCodec codec_;
  std::function<void()> on_finished_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> asked_;
  std::vector<Finished> finished_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace trellis
