#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/timestamp.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decode_subgroups.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 16> kPodGroupSpecKeys = {
    "minMember",         "minSubGroup",        "minSubGroups",        "queue",
    "priorityClassName", "preemptibility",     "preemptionDelay",     "stalenessGracePeriod",
    "parallelism",       "completions",        "backoffLimit",        "markUnschedulable",
    "schedulingBackoff", "topologyConstraint", "topologyConstraints", "subGroups"};

// `topologyConstraint` or `topologyConstraints`: the same object, alone or as the only item of a
// list.
Value find_constraint(Value spec, FieldReader& fields) {
  if (!spec["topologyConstraint"].absent()) return fields.object(spec, "topologyConstraint");
  Value plural = spec["topologyConstraints"];
  if (!plural.is(ValueKind::Array)) return fields.object(spec, "topologyConstraints");
  if (plural.size() > 1) {
    fields.error(plural, std::to_string(plural.size()) + " topology constraints", "one");
  }
  if (plural.size() != 1) return {};
  Value only = *plural.items().begin();
  if (only.is(ValueKind::Object)) return only;
  fields.error(only, describe(only), "an object");
  return {};
}

// An annotation that holds a time; an empty annotation counts as absent.
TimeUs read_time(Value metadata, std::string_view key, FieldReader& fields) {
  Value value = metadata["annotations"][key];
  if (std::optional<TimeUs> time = parse_timestamp(value.text())) {
    fields.see_time(*time);
    return *time;
  }
  if (!value.absent() && !value.text().empty()) {
    fields.error(value, describe(value), "a time such as \"2026-01-01T12:00:00Z\"");
  }
  return kNoTime;
}

}  // namespace

PodGroupRecord decode_pod_group(Value object, FieldReader& fields) {
  PodGroupRecord record;
  Value metadata = object["metadata"];
  check_annotations(metadata, fields);
  fields.labels(metadata, "labels");
  record.keys = decode_gang_keys(metadata, fields, true);
  record.keys.pod_group = fields.intern_if(metadata["annotations"][kMadeForKey].text());
  record.last_start = read_time(metadata, "kai.scheduler/last-start-timestamp", fields);
  record.stale_since = read_time(metadata, "kai.scheduler/stale-podgroup-timestamp", fields);

  fields.known_keys(object, kObjectKeys);
  Value spec = fields.object(object, "spec");
  fields.known_keys(spec, kPodGroupSpecKeys);
  record.spec.queue = fields.intern_if(fields.string(spec, "queue"));
  if (record.spec.queue.valid()) record.queue = fields.report().place(spec["queue"]);
  record.spec.priority_class = fields.intern_if(fields.string(spec, "priorityClassName"));
  std::string_view word = spec["preemptibility"].text().empty()
                              ? fields.string(spec, "preemptibility")
                              : fields.word(spec, "preemptibility", kPreemptibilityWords);
  if (word == kPreemptibilityWords[0]) record.spec.preemptibility = Preemptibility::Preemptible;
  if (word == kPreemptibilityWords[1]) record.spec.preemptibility = Preemptibility::NonPreemptible;
  // Earlier versions had the annotation and not the field.
  Value delay = spec["preemptionDelay"];
  if (delay.absent()) delay = metadata["annotations"]["kai.scheduler/preemption-delay"];
  record.preemption_delay = fields.duration(delay, DurationSign::NotNegative);
  record.staleness_grace = fields.duration(spec["stalenessGracePeriod"], DurationSign::Any);
  record.calls_for_nodes = fields.boolean(spec, "markUnschedulable", true);
  record.spec.topology = decode_constraint(find_constraint(spec, fields), fields);

  std::vector<DeclaredSubgroup> declared = decode_subgroups(spec, fields);
  record.min_subgroup = decode_min_subgroup(spec, fields);
  std::optional<int64_t> min_member = fields.integer(spec, "minMember", 1, INT32_MAX);
  arrange_subgroups(std::move(declared), spec, record, fields);
  record.min_member = min_member ? static_cast<int32_t>(*min_member) : needed_pods(record);
  return record;
}

}  // namespace trellis
