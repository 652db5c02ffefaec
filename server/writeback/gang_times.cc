#include "server/writeback/gang_times.h"

#include <optional>
#include <string>

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

}  // namespace

bool write_gang_times(Json& object, const Gang& gang) {
  Json& metadata = object_at(object, "metadata");
  bool started = set_time(metadata, kLastStart, gang.started);
  bool stale = set_time(metadata, kStaleSince, gang.stale_since);
  if (metadata["annotations"].empty()) metadata.erase("annotations");
  return started || stale;
}

}  // namespace trellis
