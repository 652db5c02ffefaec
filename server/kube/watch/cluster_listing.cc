#include "server/kube/watch/cluster_listing.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/kube/client/api_client.h"
#include "server/kube/client/credentials.h"
#include "server/kube/watch/discovery.h"
#include "server/kube/watch/object_store.h"
#include "server/kube/watch/reflector.h"
#include "server/system/clock.h"

namespace trellis {
namespace {

constexpr int64_t kDiscoveryAnswerMs = 15'000;

// Returns what failed; none: `listing` has the kind's objects.
std::optional<std::string> list_kind(const ServedKind& served, ApiClient& client,
                                     ClusterListing& listing) {
  std::optional<std::string> failure;
  ObjectStore store(served.name());
  Reflector reflector(
      {.path = served.path(),
       .kind = served.api_kind(),
       .failed = [&](const std::string& what) { failure = served.name() + ": " + what; },
       .broken =
           [&](const std::string& what) {
             listing.diagnostics.push_back({.file = served.name(), .found = what});
           }},
      store);
  while (!failure && !store.synced()) {
    Reflector::Step step = reflector.next(steady_ms());
    reflector.listed(steady_ms(), client.get(step.target, step.timeout_ms));
  }
  if (!failure) store.take_changes(listing.texts);
  return failure;
}

}  // namespace

Result<ClusterListing> list_cluster(ClusterAccess access) {
  ApiClient client(std::make_shared<Credentials>(std::move(access), wall_us));
  Result<Discovered> discovered =
      discover([&](const std::string& path) { return client.get(path, kDiscoveryAnswerMs); });
  if (!discovered) return error(discovered.error().message);
  ClusterListing listing;
  for (const ServedKind& served : discovered->served) {
    if (auto failure = list_kind(served, client, listing)) return error(*failure);
  }
  for (const UnknownVersions& unknown : discovered->unknown) {
    listing.diagnostics.push_back(to_diagnostic(unknown));
  }
  return listing;
}

}  // namespace trellis
