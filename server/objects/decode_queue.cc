#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "server/objects/decoders.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 6> kQueueSpecKeys = {
    "displayName", "parentQueue",       "resources",
    "priority",    "preemptMinRuntime", "reclaimMinRuntime"};
constexpr std::array<std::string_view, 3> kQueueResourceKeys = {"gpu", "cpu", "memory"};
constexpr std::array<std::string_view, 2> kPreemptionPolicies = {"Never", "PreemptLowerPriority"};
constexpr std::array<std::string_view, 3> kShareKeys = {"quota", "overQuotaWeight", "limit"};

// -1 means no limit; any other number below 0 is an error.
int64_t read_amount(Value parent, std::string_view key, double unit, int64_t otherwise,
                    FieldReader& fields) {
  std::optional<double> number = fields.number(parent, key);
  if (!number) return otherwise;
  if (*number == -1) return QueueShare::kUnlimited;
  if (*number < 0) {
    fields.error(parent[key], describe(parent[key]), "a number from 0, or -1 for no limit");
    return otherwise;
  }
  return static_cast<int64_t>(std::min(std::round(*number * unit), static_cast<double>(kMaxSum)));
}

QueueShare read_share(Value resources, std::string_view key, double unit,
                      QueuePlaces::Share& places, FieldReader& fields) {
  QueueShare share;
  Value value = fields.object(resources, key);
  fields.known_keys(value, kShareKeys);
  share.quota = read_amount(value, "quota", unit, share.quota, fields);
  share.limit = read_amount(value, "limit", unit, share.limit, fields);
  if (!value["quota"].absent()) places.quota = fields.report().place(value["quota"]);
  if (!value["limit"].absent()) places.limit = fields.report().place(value["limit"]);
  // A weight below 0 has no effect, and is no error, as KAI accepts it.
  share.over_quota_weight = fields.number(value, "overQuotaWeight").value_or(1.0);
  return share;
}

struct BackfillWord {
  std::string_view word;
  Backfill value;
};
constexpr std::array<BackfillWord, 3> kBackfillWords = {
    {{"none", Backfill::None}, {"easy", Backfill::Easy}, {"conservative", Backfill::Conservative}}};

std::optional<Backfill> decode_backfill(Value metadata, FieldReader& fields) {
  Value value = metadata["annotations"][kBackfillKey];
  if (value.absent()) return std::nullopt;
  for (const BackfillWord& known : kBackfillWords) {
    if (value.text() == known.word) return known.value;
  }
  fields.error(value, describe(value), "\"none\", \"easy\" or \"conservative\"");
  return std::nullopt;
}

}  // namespace

QueueRecord decode_queue(NamedObject named, FieldReader& fields) {
  QueueRecord record{std::move(named.meta)};
  record.queue.name = std::move(named.name);
  record.queue.created = record.meta.created;
  QueuePlaces at;
  fields.known_keys(named.object, kObjectKeys);
  Value spec = fields.object(named.object, "spec");
  fields.known_keys(spec, kQueueSpecKeys);
  record.queue.parent = fields.intern_if(fields.string(spec, "parentQueue"));
  if (record.queue.parent.valid()) at.parent = fields.report().place(spec["parentQueue"]);
  Value resources = fields.object(spec, "resources");
  fields.known_keys(resources, kQueueResourceKeys);
  // The units are devices, milli-CPU and megabytes.
  record.queue.gpu = read_share(resources, "gpu", 1000, at.gpu, fields);
  record.queue.cpu = read_share(resources, "cpu", 1, at.cpu, fields);
  record.queue.memory = read_share(resources, "memory", 1e6, at.memory, fields);
  record.queue.priority = static_cast<int32_t>(
      fields.integer(spec, "priority", INT32_MIN, INT32_MAX).value_or(record.queue.priority));
  record.queue.preempt_min_runtime_us =
      fields.duration(spec["preemptMinRuntime"], DurationSign::NotNegative);
  record.queue.reclaim_min_runtime_us =
      fields.duration(spec["reclaimMinRuntime"], DurationSign::NotNegative);
  record.queue.movable = decode_movable(named.object["metadata"], fields);
  record.queue.backfill = decode_backfill(named.object["metadata"], fields);
  record.at = std::make_shared<const QueuePlaces>(std::move(at));
  return record;
}

bool decode_moves_others(Value parent, FieldReader& fields) {
  return fields.word(parent, "preemptionPolicy", kPreemptionPolicies) != kPreemptionPolicies[0];
}

PriorityClassRecord decode_priority_class(NamedObject named, FieldReader& fields) {
  PriorityClassRecord record{std::move(named.meta)};
  Value object = named.object;
  if (object["value"].absent()) fields.missing(object, "value", "a whole number");
  record.value =
      static_cast<int32_t>(fields.integer(object, "value", INT32_MIN, INT32_MAX).value_or(0));
  record.global_default = fields.boolean(object, "globalDefault");
  record.moves_others = decode_moves_others(object, fields);
  return record;
}

}  // namespace trellis
