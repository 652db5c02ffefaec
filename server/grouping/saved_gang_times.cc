#include "server/grouping/saved_gang_times.h"

#include <map>
#include <string_view>
#include <utility>

namespace trellis {

void set_saved_times(const std::vector<GangTimes>& saved, const StringTable& strings,
                     std::vector<Gang>& gangs) {
  if (saved.empty()) return;
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<Name, const GangTimes*> by_name;
  for (const GangTimes& times : saved) by_name.emplace(Name(times.name_space, times.gang), &times);
  for (Gang& gang : gangs) {
    if (gang.started != kNoTime || gang.stale_since != kNoTime) continue;
    auto found = by_name.find(Name(strings.view(gang.name_space), gang.name));
    if (found == by_name.end()) continue;
    gang.started = found->second->started;
    gang.stale_since = found->second->stale_since;
  }
}

}  // namespace trellis
