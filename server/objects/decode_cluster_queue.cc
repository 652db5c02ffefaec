#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/decode_quota.h"
#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"
#include "server/objects/label_key.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 14> kQueueKeys = {"resourceGroups",
                                                         "cohort",
                                                         "cohortName",
                                                         "queueingStrategy",
                                                         "namespaceSelector",
                                                         "flavorFungibility",
                                                         "preemption",
                                                         "admissionChecks",
                                                         "admissionChecksStrategy",
                                                         "stopPolicy",
                                                         "fairSharing",
                                                         "admissionScope",
                                                         "concurrentAdmissionPolicy",
                                                         "concurrentAdmission"};
constexpr std::array<std::string_view, 4> kCohortKeys = {"parent", "parentName", "resourceGroups",
                                                         "fairSharing"};
constexpr std::array<std::string_view, 3> kLocalQueueKeys = {"clusterQueue", "stopPolicy",
                                                             "fairSharing"};
constexpr std::array<std::string_view, 3> kCheckKeys = {"controllerName", "parameters",
                                                        "retryDelayMinutes"};
constexpr std::array<std::string_view, 2> kStrategies = {"BestEffortFIFO", "StrictFIFO"};
constexpr std::array<std::string_view, 3> kStopPolicies = {"None", "Hold", "HoldAndDrain"};
constexpr std::array<std::string_view, 3> kFungibilityKeys = {"whenCanBorrow", "whenCanPreempt",
                                                              "preference"};
// Borrow and Preempt are earlier names of MayStopSearch.
constexpr std::array<std::string_view, 3> kBorrowWords = {"MayStopSearch", "TryNextFlavor",
                                                          "Borrow"};
constexpr std::array<std::string_view, 3> kPreemptWords = {"MayStopSearch", "TryNextFlavor",
                                                           "Preempt"};
constexpr std::array<std::string_view, 2> kPreferences = {"BorrowingOverPreemption",
                                                          "PreemptionOverBorrowing"};
constexpr std::array<std::string_view, 3> kPreemptionKeys = {
    "withinClusterQueue", "reclaimWithinCohort", "borrowWithinCohort"};
constexpr std::array<std::string_view, 3> kWithinWords = {"Never", "LowerPriority",
                                                          "LowerOrNewerEqualPriority"};
constexpr std::array<std::string_view, 3> kReclaimWords = {"Never", "LowerPriority", "Any"};
constexpr std::array<std::string_view, 2> kBorrowPolicyKeys = {"policy", "maxPriorityThreshold"};
constexpr std::array<std::string_view, 2> kBorrowPolicies = {"Never", "LowerPriority"};
constexpr std::string_view kMultiKueue = "kueue.x-k8s.io/multikueue";

// REQUIRES: the enumerators are in the order of the words. Returns the first enumerator when the
// field is absent or wrong.
template <class Enum, size_t N>
Enum read_enum(Value parent, std::string_view key, const std::array<std::string_view, N>& words,
               FieldReader& fields) {
  std::string_view word = fields.word(parent, key, words);
  auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? Enum{} : static_cast<Enum>(found - words.begin());
}

FlavorFungibility decode_fungibility(Value spec, FieldReader& fields) {
  FlavorFungibility fungibility;
  Value value = fields.object(spec, "flavorFungibility");
  fields.known_keys(value, kFungibilityKeys);
  std::string_view borrow = fields.word(value, "whenCanBorrow", kBorrowWords);
  std::string_view preempt = fields.word(value, "whenCanPreempt", kPreemptWords);
  fungibility.borrow_before_next = borrow != "TryNextFlavor";
  fungibility.preempt_before_next = !preempt.empty() && preempt != "TryNextFlavor";
  std::string_view preference = fields.word(value, "preference", kPreferences);
  fungibility.prefers_preemption = preference == kPreferences[1];
  bool never_stops = !fungibility.borrow_before_next && !fungibility.preempt_before_next;
  if (!preference.empty() && !never_stops) {
    fields.error(value["preference"], describe(value["preference"]),
                 "no preference unless whenCanBorrow and whenCanPreempt are TryNextFlavor");
  }
  return fungibility;
}

WorkloadPreemption decode_preemption(Value spec, FieldReader& fields) {
  WorkloadPreemption preemption;
  Value value = fields.object(spec, "preemption");
  fields.known_keys(value, kPreemptionKeys);
  preemption.within_queue =
      read_enum<PreemptWithin>(value, "withinClusterQueue", kWithinWords, fields);
  preemption.within_cohort =
      read_enum<ReclaimWithin>(value, "reclaimWithinCohort", kReclaimWords, fields);
  Value borrow = fields.object(value, "borrowWithinCohort");
  fields.known_keys(borrow, kBorrowPolicyKeys);
  preemption.borrows = fields.word(borrow, "policy", kBorrowPolicies) == kBorrowPolicies[1];
  std::optional<int64_t> threshold =
      fields.integer(borrow, "maxPriorityThreshold", INT32_MIN, INT32_MAX);
  if (threshold) preemption.max_borrow_priority = static_cast<int32_t>(*threshold);
  if (preemption.borrows && preemption.within_cohort == ReclaimWithin::Never) {
    fields.error(borrow["policy"], describe(borrow["policy"]),
                 "\"Never\", as reclaimWithinCohort is Never");
  }
  return preemption;
}

NameSpaceSelector decode_name_spaces(Value spec, FieldReader& fields) {
  NameSpaceSelector selector;
  Value value = fields.object(spec, "namespaceSelector");
  fields.known_keys(value, kSelectorKeys);
  selector.nothing = value.absent();
  selector.labels = decode_label_selector(value, fields);
  return selector;
}

void add_check(Value name, std::vector<StrId> flavors, ClusterQueueRecord& record,
               FieldReader& fields) {
  if (!name.is(ValueKind::String) || name.text().empty()) {
    fields.error(name, describe(name), "the name of an AdmissionCheck");
    return;
  }
  PlacedName check{fields.intern(name.text()), fields.report().place(name)};
  record.checks.push_back({std::move(check), std::move(flavors)});
}

void decode_checks(Value spec, ClusterQueueRecord& record, FieldReader& fields) {
  for (Value name : fields.list(spec, "admissionChecks").items()) {
    add_check(name, {}, record, fields);
  }
  Value strategy = fields.object(spec, "admissionChecksStrategy");
  if (!strategy.absent() && !spec["admissionChecks"].absent()) {
    fields.error(strategy, "admissionChecksStrategy beside admissionChecks", "one of the two");
  }
  for (Value item : fields.list(strategy, "admissionChecks").items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with name");
      continue;
    }
    std::vector<StrId> flavors;
    for (Value flavor : fields.list(item, "onFlavors").items()) {
      if (flavor.is(ValueKind::String)) flavors.push_back(fields.intern(flavor.text()));
    }
    if (item["name"].absent()) {
      fields.missing(item, "name", "the name of an AdmissionCheck");
    } else {
      add_check(item["name"], std::move(flavors), record, fields);
    }
  }
}

// The field under its current name, else under its former one.
Value either(Value spec, std::string_view now, std::string_view before) {
  return spec[now].absent() ? spec[before] : spec[now];
}

StrId read_cohort(Value name, FieldReader& fields) {
  if (!name.text().empty() && !is_dns_name(name.text())) {
    fields.error(name, in_quotes(name.text()),
                 "a name of at most 253 lower case letters, digits, '-' and '.'");
  }
  return fields.intern_if(name.text());
}

}  // namespace

ClusterQueueRecord decode_cluster_queue(NamedObject named, FieldReader& fields) {
  ClusterQueueRecord record{std::move(named.meta)};
  ClusterQueue& queue = record.queue;
  queue.name = std::move(named.name);
  queue.created = record.meta.created;
  fields.known_keys(named.object, kObjectKeys);
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kQueueKeys);
  fields.string(spec, "cohort");
  fields.string(spec, "cohortName");
  Value cohort = either(spec, "cohortName", "cohort");
  queue.cohort = read_cohort(cohort, fields);
  if (queue.cohort.valid()) record.cohort = fields.report().place(cohort);
  QuotaOwner owner{queue.cohort.valid() ? QuotaSharing::Shared : QuotaSharing::Alone, "a cohort"};
  queue.groups = decode_resource_groups(spec, owner, record.flavors, fields);
  queue.queueing = read_enum<QueueingStrategy>(spec, "queueingStrategy", kStrategies, fields);
  queue.stop = read_enum<StopPolicy>(spec, "stopPolicy", kStopPolicies, fields);
  queue.fungibility = decode_fungibility(spec, fields);
  queue.preemption = decode_preemption(spec, fields);
  queue.name_spaces = decode_name_spaces(spec, fields);
  queue.weight = decode_fair_weight(spec, fields);
  decode_checks(spec, record, fields);
  return record;
}

CohortRecord decode_cohort(NamedObject named, FieldReader& fields) {
  CohortRecord record{std::move(named.meta)};
  record.cohort.name = std::move(named.name);
  fields.known_keys(named.object, kObjectKeys);
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kCohortKeys);
  fields.string(spec, "parent");
  fields.string(spec, "parentName");
  Value parent = either(spec, "parentName", "parent");
  record.cohort.parent = read_cohort(parent, fields);
  if (record.cohort.parent.valid()) record.parent = fields.report().place(parent);
  QuotaOwner owner{record.cohort.parent.valid() ? QuotaSharing::Shared : QuotaSharing::Alone,
                   "a parent"};
  record.cohort.groups = decode_resource_groups(spec, owner, record.flavors, fields);
  record.cohort.weight = decode_fair_weight(spec, fields);
  return record;
}

LocalQueueRecord decode_local_queue(NamedObject named, FieldReader& fields) {
  LocalQueueRecord record{std::move(named.meta)};
  record.queue.name_space = record.meta.key.name_space;
  record.queue.name = std::move(named.name);
  Value object = named.object;
  fields.known_keys(object, kObjectKeys);
  Value spec = fields.object(object, "spec");
  fields.known_keys(spec, kLocalQueueKeys);
  constexpr const char* kWanted = "the name of a ClusterQueue";
  if (object["spec"].absent()) fields.missing(object, "spec", kWanted);
  std::optional<StrId> queue;
  if (!spec.absent()) queue = fields.name(spec, "clusterQueue", kWanted);
  if (queue) {
    record.queue.cluster_queue = *queue;
    record.cluster_queue = fields.report().place(spec["clusterQueue"]);
  }
  record.queue.stop = read_enum<StopPolicy>(spec, "stopPolicy", kStopPolicies, fields);
  decode_fair_weight(spec, fields);
  return record;
}

AdmissionCheckRecord decode_admission_check(NamedObject named, FieldReader& fields) {
  AdmissionCheckRecord record{std::move(named.meta)};
  fields.known_keys(named.object, kObjectKeys);
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kCheckKeys);
  record.multi_kueue = fields.string(spec, "controllerName") == kMultiKueue;
  return record;
}

}  // namespace trellis
