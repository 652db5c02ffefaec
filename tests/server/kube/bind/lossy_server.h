// A scripted API server in virtual time: requests that fail, answers that are lost, and writes that
// are done late, or never.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/kube/client/api_request.h"
#include "tests/support/random.h"

namespace trellis::test {

class LossyServer {
 public:
  explicit LossyServer(uint64_t seed) : random_(seed) {}
  virtual ~LossyServer() = default;

  bool faulty = true;
  std::vector<std::string> wrongs;  // what must never happen

  struct Reply {
    int64_t at_ms = 0;
    ApiAnswer answer;
  };

  Reply ask(const ApiRequest& request, int64_t now_ms) {
    Reply reply{now_ms + 1 + random_.below(faulty ? 400 : 5), {}};
    if (faulty && random_.chance(8)) {
      reply.answer = {random_.chance(50) ? 500 : 429, "{}", "", 0};
    } else if (request.method == "GET") {
      reply.answer = read(request.target);
    } else if (faulty && random_.chance(15)) {
      if (random_.chance(60)) late_.emplace(now_ms + random_.below(5'000), request);
      reply.answer = {0, "", "the connection broke off", 0};
    } else {
      reply.answer = write(request);
    }
    return reply;
  }

  // Late writes that are due, and now and then a turn of the controllers.
  void pass(int64_t now_ms) {
    while (!late_.empty() && late_.begin()->first <= now_ms) {
      write(late_.begin()->second);
      late_.erase(late_.begin());
    }
    if (random_.chance(20)) control();
  }

 protected:
  virtual ApiAnswer read(const std::string& target) = 0;
  virtual ApiAnswer write(const ApiRequest& request) = 0;
  virtual void control() = 0;

  Random random_;

 private:
  std::multimap<int64_t, ApiRequest> late_;
};

}  // namespace trellis::test
