// Answers questions about the last finished cycle without the cycle thread's help.
//
// It keeps a cluster of its own, equal to the one that cycles run on, by taking the same steps in
// the same order; a cycle's decisions are taken from its record. So a question costs the cycle
// thread nothing, however long it takes, and is answered by the code that `explain` uses. Questions
// are answered one at a time. A question that fails, for example by a broken check, has no effect
// on the next one, which another scheduler answers. Where applying a change fails, the observer is
// out of step until the cluster that cycles run on is rebuilt. Cost: the memory of a second
// cluster, and the work of applying each change twice.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "framework/config.h"
#include "server/engine/engine.h"
#include "server/serve/finished_cycle.h"
#include "session/record/touched.h"

namespace trellis {

class Observer {
 public:
  // `wrapper`: as Engine's.
  explicit Observer(const Config& config, Engine::PluginWrapper wrapper = {});
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Takes a finished cycle; O(1), from the cycle thread.
  void publish(std::shared_ptr<const FinishedCycle> cycle, CycleInput input);

  // The input of a question: the last finished cycle, and the cluster as that cycle found it.
  struct View {
    Engine& engine;
    const FinishedCycle& cycle;
    const SourceTexts& texts;
  };
  // False: no cycle has finished yet, or the observer is out of step. Exceptions of the question
  // are passed on.
  bool ask(const std::function<void(View)>& question);
  // As ask(), and passes what cycles touched since it was last taken. It has one taker: the thread
  // that writes back.
  bool ask_what_changed(const std::function<void(View, TouchedSince& touched)>& question);

  // The number of the last finished cycle; 0: none. Does not wait for questions.
  int64_t last_number() const;
  // The cluster that cycles run on has to be rebuilt.
  bool out_of_step() const { return out_of_step_; }

 private:
  struct Published {
    std::shared_ptr<const FinishedCycle> cycle;
    CycleInput input;
  };
  void follow(const std::stop_token& stop);
  void catch_up();
  void take(Published published);
  void renew_scheduler();

  mutable std::mutex queue_mutex_;
  std::condition_variable_any queued_;
  std::deque<Published> queue_;
  int64_t last_number_ = 0;

  Engine::PluginWrapper wrapper_;
  std::atomic<bool> out_of_step_ = false;
  std::mutex engine_mutex_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const FinishedCycle> cycle_;
  SourceTexts texts_;
  TouchedSince touched_;
  size_t pods_read_ = 0;  // since memory was last released
  std::jthread follower_;
};

}  // namespace trellis
