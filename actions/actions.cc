#include "actions/actions.h"

namespace trellis {
namespace {

constexpr Action kActions[] = {
    {"admit", admit},
    {"allocate", allocate},
    {"consolidation", consolidate},
    {"reclaim", reclaim},
    {"preempt", preempt},
    {"stalegangeviction", evict_stale_gangs},
    {"defragmentation", defragment},
};

}  // namespace

std::vector<std::string_view> action_names() {
  std::vector<std::string_view> names;
  for (const Action& action : kActions) names.push_back(action.name);
  return names;
}

std::vector<Action> make_actions(const Config& config) {
  std::vector<Action> actions;
  for (const std::string& name : config.actions) {
    for (const Action& action : kActions) {
      if (action.name == name) actions.push_back(action);
    }
  }
  return actions;
}

}  // namespace trellis
