// Gangs of the input that say when they come or how long they run, taken out of the other objects.
//
// A gang without an arrival is there from the beginning. One that runs already ends when it has run
// as long as it says, since it started.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/simulate/gang_source.h"
#include "server/simulate/timed_objects.h"

namespace trellis {

class TimedGangs : public GangSource {
 public:
  // Takes them out of `objects`. The first object that says a time of a gang counts.
  TimedGangs(Objects& objects, std::span<const RunTimes> times, TimeUs start,
             const StringTable& strings);

  // Objects that say times, and that no gang is of or named after; sentences.
  const std::vector<std::string>& errors() const { return errors_; }

  size_t size() const override { return gangs_.size(); }
  GangPlan plan(size_t gang) const override { return gangs_[gang].plan; }
  Objects objects(size_t gang, Vocabulary& vocabulary) const override;

 private:
  struct Taken {
    GangPlan plan;
    std::optional<Moment> arrival;
    std::optional<TimeUs> duration;
    Gang gang;
    std::vector<PodObject> pods;
  };
  using ByKey = absl::flat_hash_map<uint32_t, size_t>;  // places in gangs_, by the gang's key

  ByKey find_gangs(const Objects& objects, std::span<const RunTimes> times,
                   const StringTable& strings);
  static void settle(Taken& taken, TimeUs start, const StringTable& strings);

  std::vector<Taken> gangs_;
  std::vector<std::string> errors_;
};

}  // namespace trellis
