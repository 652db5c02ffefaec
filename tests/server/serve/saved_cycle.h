// All that is to be said of a finished cycle, as text.
#pragma once

#include <string>

#include "server/engine/engine.h"
#include "server/serve/observer.h"

namespace trellis::test {

struct SavedCycle {
  std::string snapshot;
  std::string decisions;
  std::string explanations;  // of every gang
};

// Empty when no cycle has finished.
SavedCycle save_cycle(Observer& observer);

std::string decisions_json(const Cluster& cluster, const CycleRecord& record);
std::string explanations(Engine& engine, const CycleRecord& record);

}  // namespace trellis::test
