#include "actions/registry.h"

#include "actions/admit.h"
#include "actions/allocate.h"
#include "actions/consolidation.h"
#include "actions/preempt.h"
#include "actions/reclaim.h"
#include "actions/stalegangeviction.h"

namespace trellis {
namespace {

template <class T>
std::unique_ptr<Action> make() {
  return std::make_unique<T>();
}

struct Entry {
  std::string_view name;
  std::unique_ptr<Action> (*make)();
};

constexpr Entry kEntries[] = {
    {"admit", make<Admit>},
    {"allocate", make<Allocate>},
    {"consolidation", make<Consolidation>},
    {"reclaim", make<Reclaim>},
    {"preempt", make<Preempt>},
    {"stalegangeviction", make<StaleGangEviction>},
};

}  // namespace

std::vector<std::string_view> action_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

std::vector<std::unique_ptr<Action>> make_actions(const Config& config) {
  std::vector<std::unique_ptr<Action>> actions;
  for (const std::string& name : config.actions) {
    for (const Entry& entry : kEntries) {
      if (entry.name == name) actions.push_back(entry.make());
    }
  }
  return actions;
}

}  // namespace trellis
