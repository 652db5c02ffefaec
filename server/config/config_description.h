// The description of the configuration: keys, forms, choices and comments, in the order in which
// they are printed. The reader, the printer and the writer of JSON are visitors of it.
//
// A visitor has about(text), a comment for the fields that follow; field(key, place, form, comment)
// for each form below; group(key, comment, body), whose body takes a visitor of the members; and
// actions(), plugins() and feature_gates() for members with rules of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "framework/config.h"
#include "framework/time.h"

namespace trellis {

namespace form {

// Plain and the other forms: the values that a field may have, where its type does not determine
// them.
struct Plain {};
struct AtLeast {
  int64_t least = 0;
};
enum class Sign : uint8_t { NotNegative, Positive, Any };
struct Duration {
  Sign sign = Sign::NotNegative;
};
// A whole number; the stored value is the number times `unit`.
struct Counted {
  int64_t unit = 1;
};
// A part of each day, as text.
struct Daily {};
// A whole number; null means no limit, and is stored as -1.
struct Limit {};
template <class Enum>
struct Choice {
  std::string_view word;
  Enum value;
};

// The word of a value in the configuration.
template <class Enum, size_t N>
std::string_view word_of(Enum value, std::span<const Choice<Enum>, N> choices) {
  for (const Choice<Enum>& choice : choices) {
    if (choice.value == value) return choice.word;
  }
  return {};
}

inline constexpr Choice<Strategy> kStrategies[] = {{"binpack", Strategy::Binpack},
                                                   {"spread", Strategy::Spread}};
inline constexpr Choice<Strategy> kGpuStrategies[] = {{"binpack", Strategy::Binpack},
                                                      {"spread", Strategy::Spread},
                                                      {"fragmentation", Strategy::Fragmentation}};
inline constexpr Choice<PlacementProfile> kProfiles[] = {{"trellis", PlacementProfile::Trellis},
                                                         {"kueue", PlacementProfile::Kueue}};
inline constexpr Choice<ReclaimResolve> kResolves[] = {{"lca", ReclaimResolve::Lca},
                                                       {"queue", ReclaimResolve::Queue}};
inline constexpr Choice<Backfill> kBackfills[] = {
    {"none", Backfill::None}, {"easy", Backfill::Easy}, {"conservative", Backfill::Conservative}};
inline constexpr Choice<RequeueTime> kRequeueTimes[] = {{"Eviction", RequeueTime::Eviction},
                                                        {"Creation", RequeueTime::Creation}};

}  // namespace form

template <class Visitor>
void describe_waiting(Visitor& out, Config& config) {
  WaitForPodsReady& wait = config.wait_for_pods_ready;
  out.field("timeout", wait.timeout_us, form::Duration(), "");
  out.field("recoveryTimeout", wait.recovery_timeout_us, form::Duration(), "");
  out.field("blockAdmission", wait.block_admission, form::Plain(), "");
  out.group("requeuingStrategy", "", [&](auto& requeuing) {
    RequeuingStrategy& settings = config.requeuing;
    requeuing.field("timestamp", settings.timestamp, std::span(form::kRequeueTimes), "");
    requeuing.field("backoffBaseSeconds", settings.backoff_base_us, form::Counted{kSecondUs}, "");
    requeuing.field("backoffMaxSeconds", settings.backoff_max_us, form::Counted{kSecondUs}, "");
    requeuing.field("backoffLimitCount", settings.backoff_limit, form::Limit(), "");
  });
}

template <class Visitor>
void describe_queues(Visitor& out, QueuesConfig& queues) {
  out.field("fullHierarchy", queues.full_hierarchy, form::Plain(),
            "false: queues share on one level");
  out.field("allowConsolidatingReclaim", queues.allow_consolidating_reclaim, form::Plain(),
            "victims that find a new place do not count");
  out.field("kValue", queues.k_value, form::Plain(), "how much past usage weighs");
  out.field("defaultPreemptMinRuntime", queues.default_preempt_min_runtime_us, form::Duration(),
            "");
  out.field("defaultReclaimMinRuntime", queues.default_reclaim_min_runtime_us, form::Duration(),
            "");
  out.field("reclaimResolveMethod", queues.reclaim_resolve_method, std::span(form::kResolves),
            "lca | queue");
  out.field("backfill", queues.backfill, std::span(form::kBackfills),
            "none | easy | conservative, where run times are known");
  out.field("runTimeQuantile", queues.run_time_quantile, form::Plain(),
            "of the past runs of the queue and namespace, where none is stated; 0: off");
  out.field("usage", queues.usage, form::Plain(), "a YAML file, queue: GPU-hours");
}

template <class Visitor>
void describe_limits(Visitor& out, Limits& limits) {
  out.field("consolidationVictims", limits.consolidation_victims, form::AtLeast{-1},
            "-1: no limit");
  out.field("searchBudget", limits.search_budget, form::AtLeast{1}, "work of one gang's search");
  out.field("stalenessGracePeriod", limits.staleness_grace_period_us,
            form::Duration{form::Sign::Any}, "negative: never");
  out.field("leavingGracePeriod", limits.leaving_grace_period_us, form::Duration{form::Sign::Any},
            "negative: for ever");
  out.field("reserveAfter", limits.reserve_after_us, form::Duration(), "0s: off");
  out.field("lookAhead", limits.look_ahead, form::AtLeast{0},
            "gangs whose order is chosen together; 0: off");
}

template <class Visitor>
void describe_defragmentation(Visitor& out, Defragmentation& moves) {
  out.field("enabled", moves.enabled, form::Plain(), "gangs move so that larger ones fit");
  out.field("window", moves.window, form::Daily(),
            "UTC: 22:00-06:00, Sat,Sun, or both; empty: always");
  out.field("maxMovedGPUsPerHour", moves.max_moved_gpus_per_hour, form::AtLeast{0}, "");
  out.field("minGain", moves.min_gain, form::Plain(), "GPUs gained for each GPU that moves");
}

template <class Visitor>
void describe_node_requests(Visitor& out, NodeRequests& requests) {
  out.field("provisioningClass", requests.provisioning_class, form::Plain(),
            "check-capacity, best-effort-atomic-scale-up, or a full name; empty: off");
  out.field("after", requests.after_us, form::Duration(), "a gang waits for so long first");
}

template <class Visitor>
void describe_config(Visitor& out, Config& config) {
  out.about("Those that run, in this order.");
  out.actions("actions", config.actions);
  out.about("By name. weight multiplies a plugin's score of a node; arguments are its own.");
  out.plugins("plugins", config);
  out.about("binpack | spread");
  out.group("placementStrategy", "", [&](auto& strategy) {
    strategy.field("gpu", config.placement_strategy.gpu, std::span(form::kGpuStrategies),
                   "fragmentation | binpack | spread");
    strategy.field("cpu", config.placement_strategy.cpu, std::span(form::kStrategies), "");
    strategy.field("domain", config.placement_strategy.domain, std::span(form::kStrategies), "");
  });
  out.field("placementProfile", config.placement_profile, std::span(form::kProfiles),
            "trellis | kueue");
  out.group("kueue", "", [&](auto& kueue) {
    kueue.feature_gates("featureGates", config, "Kueue's names; only in profile kueue");
    kueue.group("waitForPodsReady", "0s: off",
                [&](auto& waiting) { describe_waiting(waiting, config); });
  });
  out.group("queues", "", [&](auto& queues) { describe_queues(queues, config.queues); });
  out.group("limits", "", [&](auto& limits) { describe_limits(limits, config.limits); });
  out.group("defragmentation", "",
            [&](auto& moves) { describe_defragmentation(moves, config.defragmentation); });
  out.group("nodeRequests", "ProvisioningRequests for gangs that wait for nodes",
            [&](auto& requests) { describe_node_requests(requests, config.node_requests); });
  out.field("schedulerNames", config.scheduler_names, form::Plain(), "empty: every pod");
  out.field("period", config.period_us, form::Duration{form::Sign::Positive},
            "from one cycle to the next");
}

}  // namespace trellis
