// Watches all that is read of a cluster: the kinds that its API server serves are discovered again
// and again, and each of them is watched.
//
// Guarantees: `synced` becomes true once every kind that the first discovery found has been read
// completely, and stays true. A kind that is installed later is read from then on; of a kind that
// is removed all objects are gone; a kind that is served in another version is read in that one,
// and its former objects are kept meanwhile.
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
  // `log` must outlive it. `seed`: for all random waits.
  ClusterWatch(ClusterAccess access, uint64_t seed, Log& log);
  ~ClusterWatch() override;
  ClusterWatch(const ClusterWatch&) = delete;
  ClusterWatch& operator=(const ClusterWatch&) = delete;

  // Its credentials, for other clients of the same server.
  const std::shared_ptr<Credentials>& credentials() const { return credentials_; }
  bool synced() const;
  // Kinds that are not read, since the server serves them only in versions that are not known here.
  std::vector<UnknownVersions> unknown_versions() const;
  // Every object that changed since the last call, named "pods/NAMESPACE/NAME"; null: it is gone.
  std::vector<NamedText> take_changes();
  // Rung when there are changes.
  const std::shared_ptr<Bell>& bell() const { return bell_; }

  // Whether the object exists now. `kind`: such as "nodes"; `name`: with its namespace, if any.
  bool holds(const std::string& kind, std::string_view name) const;
  // Whether the server copies labels of binds (discovery.h); false while that is not known.
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
  ApiClient client_;  // used by the thread alone, except for cancel()
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::map<std::string, std::unique_ptr<KindWatch>> watches_;  // by ServedKind::name
  std::vector<UnknownVersions> unknown_;
  std::vector<NamedText> gone_;  // objects of removed kinds that take_changes() did not return yet
  mutable bool synced_ = false;
  bool discovered_ = false;
  std::atomic<bool> copies_labels_ = false;
  bool ended_ = false;
  std::jthread thread_;
};

}  // namespace trellis
