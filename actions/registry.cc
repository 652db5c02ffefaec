#include "actions/registry.h"

#include "actions/admit.h"
#include "actions/allocate.h"
#include "actions/consolidation.h"
#include "actions/preempt.h"
#include "actions/reclaim.h"
#include "actions/stalegangeviction.h"

namespace trellis {
namespace {

constexpr std::string_view kNames[] = {"admit",   "allocate", "consolidation",
                                       "reclaim", "preempt",  "stalegangeviction"};

}  // namespace

std::span<const std::string_view> action_names() { return kNames; }

std::vector<std::unique_ptr<Action>> make_actions(const Config& config) {
  std::vector<std::unique_ptr<Action>> actions;
  for (const std::string& name : config.actions) {
    if (name == "admit") actions.push_back(std::make_unique<Admit>());
    if (name == "allocate") actions.push_back(std::make_unique<Allocate>());
    if (name == "consolidation") actions.push_back(std::make_unique<Consolidation>());
    if (name == "reclaim") actions.push_back(std::make_unique<Reclaim>());
    if (name == "preempt") actions.push_back(std::make_unique<Preempt>());
    if (name == "stalegangeviction") actions.push_back(std::make_unique<StaleGangEviction>());
  }
  return actions;
}

}  // namespace trellis
