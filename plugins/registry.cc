#include "plugins/registry.h"

#include <array>
#include <string>

#include "plugins/devices/devices_plugin.h"
#include "plugins/fragmentation/fragmentation.h"
#include "plugins/fragmentation/given_mix.h"
#include "plugins/gang/gang_plugin.h"
#include "plugins/gpusharing/gpusharing.h"
#include "plugins/labelscore/labelscore.h"
#include "plugins/minruntime/minruntime.h"
#include "plugins/nodeaffinity/nodeaffinity.h"
#include "plugins/nodeavailability/nodeavailability.h"
#include "plugins/nodeplacement/nodeplacement.h"
#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_plugin.h"
#include "plugins/placementpreferences/placement_preferences.h"
#include "plugins/podaffinity/podaffinity.h"
#include "plugins/podorder/podorder.h"
#include "plugins/predicates/predicates.h"
#include "plugins/priority/priority.h"
#include "plugins/proportion/proportion.h"
#include "plugins/quota/quota_plugin.h"
#include "plugins/rank/rank.h"
#include "plugins/resourcetype/resourcetype.h"
#include "plugins/topology/topology_plugin.h"
#include "plugins/topologyspread/topologyspread.h"
#include "plugins/volumes/volumes_plugin.h"

namespace trellis {
namespace {

template <class T>
std::unique_ptr<Plugin> make() {
  return std::make_unique<T>();
}

struct Entry {
  std::string_view name;
  std::unique_ptr<Plugin> (*make)();  // nullptr: planned
  std::span<const std::string_view> arguments = {};
};

constexpr std::string_view kQuotaArguments[] = {
    "fairSharing=bool",
    "preemptionStrategies=several:LessThanOrEqualToFinalShare|LessThanInitialShare",
};

// Priority before gang: a gang of higher priority that could grow goes before one of lower that
// could start.
constexpr Entry kEntries[] = {
    {"predicates", make<Predicates>},
    {"priority", make<Priority>},
    {"gang", make<GangPlugin>},
    {"podorder", make<PodOrderPlugin>},
    {"topology", make<TopologyPlugin>},
    {"nodeaffinity", make<NodeAffinity>},
    {"gpusharing", make<GpuSharing>},
    {"nodeavailability", make<NodeAvailability>},
    {"resourcetype", make<ResourceType>},
    {"fragmentation", make<Fragmentation>, kFragmentationArguments},
    {"nodeplacement", make<NodePlacement>, kNodePlacementArguments},
    {"labelscore", make<LabelScore>, kLabelScoreArguments},
    {"rank", make<RankPlugin>},
    {"numa", make<NumaPlugin>, kNumaArguments},
    {"placementpreferences", make<PlacementPreferencesPlugin>},
    {"podaffinity", make<PodAffinity>},
    {"topologyspread", make<TopologySpread>},
    {"proportion", make<Proportion>},
    {"minruntime", make<MinRuntime>},
    {"quota", make<QuotaPlugin>, kQuotaArguments},
    {"volumes", make<VolumesPlugin>},
    {"devices", make<DevicesPlugin>},
};

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kEntries)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kEntries[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> plugin_names() { return kNames; }

std::optional<std::span<const std::string_view>> plugin_arguments(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name && entry.make != nullptr) return entry.arguments;
  }
  return std::nullopt;
}

std::vector<std::unique_ptr<Plugin>> make_plugins(const Config& config) {
  std::vector<std::unique_ptr<Plugin>> plugins;
  for (const Entry& entry : kEntries) {
    if (entry.make != nullptr && config.plugin(std::string(entry.name)).enabled) {
      plugins.push_back(entry.make());
    }
  }
  return plugins;
}

}  // namespace trellis
