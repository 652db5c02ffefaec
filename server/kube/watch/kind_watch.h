// The thread that drives one kind's reflector over a connection of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "server/kube/client/api_client.h"
#include "server/kube/client/credentials.h"
#include "server/kube/watch/discovery.h"
#include "server/kube/watch/object_store.h"
#include "server/kube/watch/reflector.h"
#include "server/log/log.h"

namespace trellis {

class KindWatch {
 public:
  struct Options {
    ServedKind served;
    std::shared_ptr<Credentials> credentials;
    std::shared_ptr<ObjectStore> store;
    uint64_t seed = 0;
  };
  // `log` must outlive it.
  KindWatch(Options options, Log& log);
  ~KindWatch();
  KindWatch(const KindWatch&) = delete;
  KindWatch& operator=(const KindWatch&) = delete;

  // Requests the thread to end; the destructor waits until it has.
  void request_stop();

  const ServedKind& served() const { return served_; }
  const std::shared_ptr<ObjectStore>& store() const { return store_; }
  ReflectorFigures figures() const;

 private:
  void run(const std::stop_token& stop);
  void list(const Reflector::Step& step);
  void watch(const Reflector::Step& step, const std::stop_token& stop);
  void keep_figures();
  void log_failure(const std::string& what);
  void log_broken(const std::string& what);

  ServedKind served_;
  std::shared_ptr<ObjectStore> store_;
  Log& log_;
  ApiClient client_;
  Reflector reflector_;  // used by the thread alone
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  ReflectorFigures figures_;  // guarded by mutex_
  bool ended_ = false;        // guarded by mutex_
  std::jthread thread_;
};

}  // namespace trellis
