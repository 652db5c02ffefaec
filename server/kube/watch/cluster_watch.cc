#include "server/kube/watch/cluster_watch.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "server/kube/client/backoff.h"
#include "server/kube/watch/discovery.h"
#include "server/kube/watch/kind_watch.h"
#include "server/system/clock.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

// How soon a kind that was just installed is seen.
constexpr std::chrono::milliseconds kDiscoverAgain{10'000};
constexpr int64_t kAnswerMs = 15'000;

}  // namespace

ClusterWatch::ClusterWatch(ClusterAccess access, uint64_t seed, Log& log)
    : credentials_(std::make_shared<Credentials>(
          std::move(access), wall_us,
          [&log](const std::string& what) {
            log.event(LogLevel::Error, "credentials", {{"what", what}});
          })),
      log_(log),
      seed_(seed),
      client_(credentials_),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ClusterWatch::~ClusterWatch() {
  thread_.request_stop();
  {
    std::unique_lock lock(mutex_);
    cancel_until([this] { return ended_; }, client_, lock, woken_);
  }
  // All watches are stopped before each is waited for.
  for (auto& [name, watch] : watches_) watch->request_stop();
}

bool ClusterWatch::synced() const {
  std::lock_guard lock(mutex_);
  synced_ = synced_ ||
            (discovered_ && std::all_of(watches_.begin(), watches_.end(), [](const auto& entry) {
               return entry.second->store()->synced();
             }));
  return synced_;
}

std::vector<UnknownVersions> ClusterWatch::unknown_versions() const {
  std::lock_guard lock(mutex_);
  return unknown_;
}

std::vector<NamedText> ClusterWatch::take_changes() {
  std::lock_guard lock(mutex_);
  std::vector<NamedText> changes = std::exchange(gone_, {});
  for (const auto& [name, watch] : watches_) watch->store()->take_changes(changes);
  return changes;
}

bool ClusterWatch::holds(const std::string& kind, std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto found = watches_.find(kind);
  return found != watches_.end() && found->second->store()->holds(name);
}

// null: the kind is not watched. REQUIRES: mutex_ is held.
const KindWatch* ClusterWatch::watch_of(std::string_view group, std::string_view kind) const {
  for (const auto& [name, watch] : watches_) {
    const Kind& known = *watch->served().kind;
    if (known.group == group && known.kind == kind) return watch.get();
  }
  return nullptr;
}

std::optional<LiveObject> ClusterWatch::find(std::string_view group, std::string_view kind,
                                             std::string_view name_space,
                                             std::string_view name) const {
  std::lock_guard lock(mutex_);
  const KindWatch* watch = watch_of(group, kind);
  if (watch == nullptr) return std::nullopt;
  std::string key = name_space.empty() ? std::string(name) : full_key(name_space, name);
  StoredText text = watch->store()->find(key);
  if (!text) return std::nullopt;
  const ServedKind& served = watch->served();
  return LiveObject{.path = served.path_in(name_space) + "/" + std::string(name),
                    .has_status = served.has_status,
                    .text = text.str()};
}

std::string ClusterWatch::collection(std::string_view group, std::string_view kind,
                                     std::string_view name_space) const {
  std::lock_guard lock(mutex_);
  const KindWatch* watch = watch_of(group, kind);
  return watch == nullptr ? "" : watch->served().path_in(name_space);
}

LiveObjects::Named ClusterWatch::list(std::string_view group, std::string_view kind) const {
  std::lock_guard lock(mutex_);
  const KindWatch* watch = watch_of(group, kind);
  return watch == nullptr ? Named() : watch->store()->objects();
}

std::vector<ClusterWatch::KindFigures> ClusterWatch::figures() const {
  std::lock_guard lock(mutex_);
  std::vector<KindFigures> figures;
  for (const auto& [name, watch] : watches_) {
    figures.push_back({name, static_cast<int64_t>(watch->store()->size()), watch->figures()});
  }
  return figures;
}

// Watches the kinds that are served now, and stops watching the others.
void ClusterWatch::take(Discovered discovered) {
  std::vector<std::unique_ptr<KindWatch>> ending;  // waited for without the lock
  std::set<std::string> names;
  std::lock_guard lock(mutex_);
  for (const ServedKind& kind : discovered.served) {
    names.insert(kind.name());
    std::unique_ptr<KindWatch>& watch = watches_[kind.name()];
    if (watch && watch->served() == kind) continue;
    std::shared_ptr<ObjectStore> store =
        watch ? watch->store() : std::make_shared<ObjectStore>(kind.name(), bell_);
    if (watch) {
      log_.event(LogLevel::Info, "kind in another version",
                 {{"kind", kind.name()}, {"version", kind.version}});
      watch.reset();
    }
    watch = std::make_unique<KindWatch>(
        KindWatch::Options{kind, credentials_, std::move(store), ++seed_}, log_);
  }
  for (auto at = watches_.begin(); at != watches_.end();) {
    if (names.contains(at->first)) {
      ++at;
      continue;
    }
    log_.event(LogLevel::Info, "kind no longer served", {{"kind", at->first}});
    at->second->store()->take_all_as_gone(gone_);
    ending.push_back(std::move(at->second));
    at = watches_.erase(at);
  }
  if (unknown_ != discovered.unknown) bell_->ring();
  unknown_ = std::move(discovered.unknown);
  discovered_ = true;
}

// The server may be upgraded while we run. If its version cannot be read, the last result is kept.
void ClusterWatch::ask_version(const ApiGet& get) {
  Result<ServerVersion> version = read_server_version(get);
  if (version) copies_labels_ = copies_labels_of_binds(*version);
}

void ClusterWatch::run(const std::stop_token& stop) {
  Backoff backoff(seed_);
  while (!stop.stop_requested()) {
    ApiGet get = [this](const std::string& path) { return client_.get(path, kAnswerMs); };
    Result<Discovered> discovered = discover(get);
    if (discovered) ask_version(get);
    if (stop.stop_requested()) break;
    std::chrono::milliseconds wait = kDiscoverAgain;
    if (discovered) {
      take(std::move(*discovered));
    } else {
      log_.event(LogLevel::Warn, "discovery failed", {{"what", discovered.error().message}});
      wait = std::min(wait, std::chrono::milliseconds(backoff.wait_ms(steady_ms())));
    }
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, wait, [] { return false; });
  }
  std::lock_guard lock(mutex_);
  ended_ = true;
  woken_.notify_all();
}

}  // namespace trellis
