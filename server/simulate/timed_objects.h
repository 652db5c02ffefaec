// What the annotations of an input say about time.
//
// `trellis.scheduler/arrival` says when a gang comes, and `trellis.scheduler/duration` how long it
// runs: on its PodGroup, on a pod of it, or on the owner that it is named after.
//
// Other objects hold at a time: a Node that fails or is cordoned, a Queue with another quota. The
// arrival says since when, the duration for how long; before and after it the input's object of
// this name holds, or there is none. Their kinds are Node, Queue, ClusterQueue, Cohort, LocalQueue
// and ResourceFlavor.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/time.h"
#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "server/simulate/moment.h"
#include "session/cluster/objects.h"

namespace trellis {

struct TimedObject {
  std::string key;  // kind/namespace/name
  Moment since;
  std::optional<TimeUs> duration;  // none: for ever
  NamedText text;
};

// The times of a gang, as an object says them.
struct RunTimes {
  std::string kind;  // of the object
  std::string name_space;
  std::string name;
  std::optional<Moment> arrival;
  std::optional<TimeUs> duration;
  std::string place;  // of the object, for messages
};

// An input without its timed objects.
struct SplitInput {
  std::vector<std::string> files;  // that have no timed object
  std::vector<NamedText> texts;    // the other objects of files that have some
  std::vector<TimedObject> timed;
  std::vector<RunTimes> run_times;
  std::vector<std::string> errors;  // about times that cannot be understood
};

// `paths`: as read_manifest() takes them. Cost: O(bytes); documents are read only of files that
// name an annotation.
SplitInput split_timed_objects(const std::vector<std::string>& paths);

struct TimedChange {
  TimeUs at = 0;
  ObjectChanges changes;
};

// The changes at each moment, in order of time. `read` reads the input, with these texts before all
// others. Cost: a reading of the input for each moment.
using ReadWith = std::function<Manifest(std::span<const NamedText> first)>;
std::vector<TimedChange> timed_changes(std::span<const TimedObject> timed, TimeUs beginning,
                                       const ReadWith& read, const StringTable& strings);

}  // namespace trellis
