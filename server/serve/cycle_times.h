// How long a cycle and its parts took.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "server/system/clock.h"
#include "session/cycle/action.h"

namespace trellis {

struct PartTime {
  std::string_view name;  // static storage
  int64_t ns = 0;
};

struct GangTime {
  GangId gang;
  int64_t ns = 0;  // of its steps together
};

struct CycleTimes {
  int64_t cycle_ns = 0;
  std::vector<PartTime> actions;  // in the order in which they ran
  std::vector<PartTime> plugins;  // by their batch-shaped callbacks; those that were called
  std::vector<GangTime> gangs;    // in the order in which they were first tried
};

// Measures the times of cycles.
class CycleClock : public CycleProbe {
 public:
  // Adds the time from its construction to its destruction to a plugin, without inner laps.
  class Lap {
   public:
    Lap(CycleClock& clock, size_t plugin)
        : clock_(clock), plugin_(plugin), outer_(clock.lap_), began_ns_(steady_ns()) {
      clock.lap_ = this;
    }
    ~Lap();
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;

   private:
    CycleClock& clock_;
    size_t plugin_;
    Lap* outer_;
    int64_t began_ns_;
    int64_t inner_ns_ = 0;
  };

  // A plugin's number, for laps.
  size_t plugin(std::string_view name);

  void begin();
  CycleTimes end();

  void action_begins(std::string_view action) override;
  void action_ends(std::string_view action) override;
  void gang_begins(GangId gang) override;
  void gang_ends(GangId gang) override;

 private:
  CycleTimes times_;
  int64_t cycle_began_ns_ = 0;
  int64_t action_began_ns_ = 0;
  int64_t gang_began_ns_ = 0;
  std::vector<uint32_t> place_of_gang_;  // index in times_.gangs, plus 1; by gang
  std::vector<PartTime> plugins_;
  Lap* lap_ = nullptr;  // the innermost that runs
};

}  // namespace trellis
