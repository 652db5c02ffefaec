// A finished cycle, as the cycle thread hands it over: immutable, for readers in other threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/config.h"
#include "framework/time.h"
#include "server/document/diagnostic.h"
#include "server/manifest/manifest.h"
#include "server/serve/cycle_times.h"
#include "server/sources/object_source.h"
#include "session/cluster/objects.h"
#include "session/record/record.h"

namespace trellis {

// What changed in the cluster before a cycle, beyond the time that passed for its pods. Another
// cluster that takes the same steps in the same order has the same ids.
struct CycleInput {
  // The cluster was rebuilt before the rest, with a vocabulary of its own.
  bool rebuilt = false;
  // Names that were added to the vocabulary, in the order of their ids.
  std::vector<std::string> strings;
  std::vector<std::string> resources;
  size_t string_count = 0;                       // of the vocabulary, with these
  std::vector<ObjectChanges> changes;            // in their order
  std::vector<TextChanges> texts;                // in their order
  std::optional<Config> config;                  // none: unchanged
  ExecutionMode mode = ExecutionMode::Simulate;  // of the cycle before
};

struct FinishedCycle {
  int64_t number = 0;  // from 1; grows only with cycles that ran
  // From 1; one more each time that the cluster was rebuilt: before and after, ids mean different
  // things.
  int64_t cluster_number = 1;
  std::shared_ptr<const CycleRecord> record;
  CycleTimes times;
  int64_t files_read = 0;                                      // since the cycle before
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics;  // of the current input
};

}  // namespace trellis
