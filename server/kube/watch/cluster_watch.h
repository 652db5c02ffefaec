// All that is read of a cluster: what its API server has is discovered again and again, and each
// kind that is there is watched.
//
// Guarantees: `synced` once every kind that the first discovery found has been read whole, and from
// then on. A kind that is installed later is read from then on; one that is taken away goes; one
// that is served in another version is read in that one, and what was read before stands meanwhile.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/kube/client/credentials.h"
#include "server/kube/watch/discovery.h"
#include "server/kube/watch/kind_watch.h"
#include "server/kube/watch/live_objects.h"
#include "server/log/log.h"
#include "server/manifest/manifest.h"

namespace trellis {

class ClusterWatch : public LiveObjects {
 public:
  // `log` must outlive it. `seed`: of all waits.
  ClusterWatch(ClusterAccess access, uint64_t seed, Log& log);
  ~ClusterWatch() override;
  ClusterWatch(const ClusterWatch&) = delete;
  ClusterWatch& operator=(const ClusterWatch&) = delete;

  // Its credentials, for other clients of the same server.
  const std::shared_ptr<Credentials>& credentials() const { return credentials_; }
  bool synced() const;
  // Kinds that nothing is read of, since the server has them in other versions alone.
  std::vector<UnknownVersions> unknown_versions() const;
  // Every object that changed since the last time, named "pods/NAMESPACE/NAME"; null: it is gone.
  std::vector<NamedText> take_changes();
  // Rung when there are changes.
  const std::shared_ptr<Bell>& bell() const { return bell_; }

  // Whether it is there just now: `kind` as "nodes", `name` with its namespace, if it has one.
  bool holds(const std::string& kind, std::string_view name) const;
  // Whether the server copies labels of binds (server_version.h). One that has not told its version
  // is taken for one that does not.
  bool copies_labels() const { return copies_labels_; }
  std::optional<LiveObject> find(std::string_view group, std::string_view kind,
                                 std::string_view name_space, std::string_view name) const override;
  std::string collection(std::string_view group, std::string_view kind,
                         std::string_view name_space) const override;
  Named list(std::string_view group, std::string_view kind) const override;

  struct KindFigures {
    std::string kind;  // "pods", "queues.scheduling.run.ai"
    int64_t objects = 0;
    ReflectorFigures reflector;
  };
  std::vector<KindFigures> figures() const;  // of the kinds that are watched now

 private:
  void run(const std::stop_token& stop);
  void take(Discovered discovered);
  void ask_version(const ApiGet& get);
  const KindWatch* watch_of(std::string_view group, std::string_view kind) const;

  std::shared_ptr<Credentials> credentials_;
  std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
  Log& log_;
  uint64_t seed_;
  ApiClient client_;  // of the thread alone, but for cancel()
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::map<std::string, std::unique_ptr<KindWatch>> watches_;  // by ServedKind::name
  std::vector<UnknownVersions> unknown_;
  std::vector<NamedText> gone_;  // what stores that are no more held, and changes did not say yet
  mutable bool synced_ = false;
  bool discovered_ = false;
  std::atomic<bool> copies_labels_ = false;
  bool ended_ = false;
  std::jthread thread_;
};

}  // namespace trellis
