// The gangs that come during a simulation, each with its objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/time.h"
#include "framework/vocabulary.h"
#include "session/cluster/objects.h"

namespace trellis {

struct GangPlan {
  std::string name_space;
  std::string name;      // of the gang in the cluster
  std::string shown;     // in output
  std::string queue;     // "": none
  TimeUs arrival = 0;    // absolute
  TimeUs duration = -1;  // of a run; negative: it runs for ever
  int64_t gpu_milli = 0;
};

class GangSource {
 public:
  virtual ~GangSource() = default;
  virtual size_t size() const = 0;
  // By arrival, then by name.
  virtual GangPlan plan(size_t gang) const = 0;
  // The objects that come with it, with ids of `vocabulary`.
  virtual Objects objects(size_t gang, Vocabulary& vocabulary) const = 0;
};

}  // namespace trellis
