#include "server/writeback/gang_times.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "framework/running_since.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

// False: the annotation has this value already.
bool set_time(Json& metadata, const char* key, TimeUs time) {
  Json& annotations = object_at(metadata, "annotations");
  auto found = annotations.find(key);
  bool there = found != annotations.end() && found->is_string();
  std::optional<TimeUs> written;
  if (there) written = parse_timestamp(found->get_ref<const std::string&>());
  if (written.value_or(kNoTime) == time) return false;
  if (time == kNoTime) {
    annotations.erase(key);
  } else {
    annotations[key] = format_timestamp(time);
  }
  return true;
}

// Whether the gang runs since the first start of its pods.
bool is_said_by_pods(const Cluster& cluster, GangId id, TimeUs started) {
  const Gang unrecorded;
  return started == kNoTime ||
         started == running_since(unrecorded, cluster.pods(), cluster.pods_of(id));
}

}  // namespace

bool write_gang_times(Json& object, const Gang& gang) {
  Json& metadata = object_at(object, "metadata");
  bool started = set_time(metadata, kLastStart, gang.started);
  bool stale = set_time(metadata, kStaleSince, gang.stale_since);
  if (metadata["annotations"].empty()) metadata.erase("annotations");
  return started || stale;
}

std::vector<GangTimes> times_without_group(const Cluster& cluster,
                                           const std::vector<RawObject>& objects) {
  std::set<std::pair<std::string_view, std::string_view>> groups;
  for (const RawObject& raw : objects) {
    if (raw.kind == "PodGroup") groups.emplace(raw.name_space, raw.name);
  }
  const StringTable& strings = cluster.vocabulary().strings;
  std::vector<GangTimes> found;
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId id(i);
    if (!cluster.alive(id)) continue;
    const Gang& gang = cluster.gangs()[id];
    bool said = gang.stale_since == kNoTime && is_said_by_pods(cluster, id, gang.started);
    std::string_view name_space = strings.view(gang.name_space);
    if (said || groups.contains({name_space, gang.name.view()})) continue;
    found.push_back(
        {std::string(name_space), std::string(gang.name.view()), gang.started, gang.stale_since});
  }
  auto key = [](const GangTimes& times) { return std::tie(times.name_space, times.gang); };
  std::ranges::sort(found, {}, key);
  return found;
}

}  // namespace trellis
