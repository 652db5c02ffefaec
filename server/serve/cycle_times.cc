#include "server/serve/cycle_times.h"

#include "server/system/clock.h"

namespace trellis {

CycleClock::Lap::~Lap() {
  int64_t took_ns = steady_ns() - began_ns_;
  clock_.plugins_[plugin_].ns += took_ns - inner_ns_;
  clock_.lap_ = outer_;
  if (outer_ != nullptr) outer_->inner_ns_ += took_ns;
}

size_t CycleClock::plugin(std::string_view name) {
  for (size_t i = 0; i < plugins_.size(); ++i) {
    if (plugins_[i].name == name) return i;
  }
  plugins_.push_back({name, 0});
  return plugins_.size() - 1;
}

void CycleClock::begin() {
  times_ = CycleTimes();
  for (PartTime& plugin : plugins_) plugin.ns = 0;
  cycle_began_ns_ = steady_ns();
}

CycleTimes CycleClock::end() {
  times_.cycle_ns = steady_ns() - cycle_began_ns_;
  for (const PartTime& plugin : plugins_) {
    if (plugin.ns > 0) times_.plugins.push_back(plugin);
  }
  for (const GangTime& gang : times_.gangs) place_of_gang_[gang.gang.value] = 0;
  return std::move(times_);
}

void CycleClock::action_begins(std::string_view /*action*/) { action_began_ns_ = steady_ns(); }

void CycleClock::action_ends(std::string_view action) {
  times_.actions.push_back({action, steady_ns() - action_began_ns_});
}

void CycleClock::gang_begins(GangId gang) {
  if (place_of_gang_.size() <= gang.value) place_of_gang_.resize(gang.value + 1, 0);
  if (place_of_gang_[gang.value] == 0) {
    times_.gangs.push_back({gang, 0});
    place_of_gang_[gang.value] = static_cast<uint32_t>(times_.gangs.size());
  }
  gang_began_ns_ = steady_ns();
}

void CycleClock::gang_ends(GangId gang) {
  times_.gangs[place_of_gang_[gang.value] - 1].ns += steady_ns() - gang_began_ns_;
}

}  // namespace trellis
