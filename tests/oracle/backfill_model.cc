#include "tests/oracle/backfill_model.h"

#include <algorithm>
#include <set>

namespace trellis::oracle {
namespace {

TimeUs later(TimeUs from, TimeUs length) {
  return length == kModelNever ? kModelNever : from + length;
}

}  // namespace

std::vector<TimeUs> RoomModel::changes() const {
  std::set<TimeUs> times;
  for (const TakenRoom& room : taken) times.insert({room.from, room.until});
  times.erase(kModelNever);
  return {times.begin(), times.end()};
}

int64_t RoomModel::least_free(const TimedNode& node, TimeUs from, TimeUs until) const {
  std::vector<TimeUs> moments = changes();
  moments.push_back(from);
  int64_t least = node.gpus;
  for (TimeUs moment : moments) {
    if (moment < from || moment >= until) continue;
    int64_t free = node.gpus;
    for (const TakenRoom& room : taken) {
      bool takes = room.node == node.name && room.from <= moment && room.until > moment;
      if (takes) free -= room.gpus;
    }
    least = std::min(least, free);
  }
  return least;
}

bool RoomModel::has_room(const ModelGang& gang, TimeUs from) const {
  std::map<std::string, int64_t> pods;  // by domain
  for (const TimedNode& node : nodes) {
    int64_t free = least_free(node, from, later(from, gang.run_time));
    pods[gang.one_rack ? node.rack : ""] += std::max<int64_t>(0, free) / gang.gpus;
  }
  return std::ranges::any_of(pods, [&](const auto& domain) { return domain.second >= gang.pods; });
}

TimeUs RoomModel::earliest(const ModelGang& gang, TimeUs now) const {
  for (TimeUs moment : changes()) {
    if (moment > now && has_room(gang, moment)) return moment;
  }
  return kModelNever;
}

}  // namespace trellis::oracle
