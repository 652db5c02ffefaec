// A cycle whose input is in memory, run again with a change.
//
// Cost: reading the texts, and a cycle.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "framework/config.h"
#include "framework/result.h"
#include "server/compare/planned_change.h"
#include "server/engine/engine.h"
#include "server/manifest/manifest.h"
#include "session/record/record.h"

namespace trellis {

struct ChangedCycle {
  std::unique_ptr<Engine> engine;
  std::shared_ptr<const CycleRecord> record;
};

// `texts`: what a service wrote of the cycle, and objects that come to it. An error: the texts have
// errors, or the change names what is not there.
Result<ChangedCycle> run_changed(std::span<const NamedText> texts, const PlannedChange& change,
                                 const Config& config);

}  // namespace trellis
