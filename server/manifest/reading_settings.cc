#include "server/manifest/reading_settings.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "server/manifest/link_numa.h"
#include "server/manifest/pod_claims.h"

namespace trellis {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";

// Whether zones are needed even where no node has any: scheduler-plugins scores such nodes.
bool seeks_zones(const Config& config) {
  return config.plugin("numa").argument("compat") == "scheduler-plugins";
}

// Holds the pods that other schedulers are to place, whatever else holds them.
void hold_others(std::span<const std::string> ours, const StringTable& strings, Objects& objects) {
  for (PodObject& object : objects.pods) {
    StrId named = object.pod.scheduler;
    std::string_view scheduler = named.valid() ? strings.view(named) : kDefaultScheduler;
    bool is_ours = std::find(ours.begin(), ours.end(), scheduler) != ours.end();
    if (!is_ours) object.pod.hold = PodHold::OtherScheduler;
  }
}

void hold_gpu_fractions(Objects& objects) {
  for (PodObject& object : objects.pods) {
    if (object.spec->gpu_share.active()) hold_pod(object.pod, PodHold::GpuFraction);
  }
}

}  // namespace

ReadingSettings reading_settings(const Config& config) {
  ReadingSettings settings{.scheduler_names = config.scheduler_names,
                           .requeue_time = config.requeuing.timestamp};
  if (seeks_zones(config)) settings.zones = Zones::Sought;
  if (!config.plugin("numa").enabled) settings.zones = Zones::Ignored;
  return settings;
}

void apply_settings(const ReadingSettings& settings, const StringTable& strings, Objects& objects) {
  if (settings.gpu_fractions == GpuFractions::Held) hold_gpu_fractions(objects);
  if (!settings.scheduler_names.empty()) hold_others(settings.scheduler_names, strings, objects);
  if (settings.requeue_time != RequeueTime::Eviction) {
    for (Workload& workload : objects.workloads) {
      if (workload.timed_out) workload.queued = workload.created;
    }
  }
  if (settings.zones == Zones::Ignored) forget_zones(objects);
}

}  // namespace trellis
