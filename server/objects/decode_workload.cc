#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/objects/decode_topology_request.h"
#include "server/objects/decoders.h"
#include "server/objects/label_key.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 9> kWorkloadSpecKeys = {"podSets",
                                                               "queueName",
                                                               "priority",
                                                               "priorityClassName",
                                                               "priorityClassSource",
                                                               "priorityClassRef",
                                                               "active",
                                                               "maximumExecutionTimeSeconds",
                                                               "preemptionGates"};
constexpr std::array<std::string_view, 5> kPodSetKeys = {"name", "template", "count", "minCount",
                                                         "topologyRequest"};
constexpr std::array<std::string_view, 3> kClassKeys = {"group", "kind", "name"};
// The values of priorityClassSource, then of priorityClassRef.kind.
constexpr std::array<std::string_view, 3> kClassSources = {
    "", "kueue.x-k8s.io/workloadpriorityclass", "scheduling.k8s.io/priorityclass"};
constexpr std::array<std::string_view, 2> kClassKinds = {"WorkloadPriorityClass", "PriorityClass"};
constexpr uint32_t kMostPodSets = 18;
constexpr std::string_view kDefaultPodSet = "main";

class WorkloadDecoder {
 public:
  WorkloadDecoder(PodDecoder& pods, FieldReader& fields) : pods_(pods), fields_(fields) {}

  WorkloadRecord decode(Value object) {
    fields_.known_keys(object, kObjectKeys);
    Value spec = fields_.object(object, "spec");
    fields_.known_keys(spec, kWorkloadSpecKeys);
    Workload& workload = record_.workload;
    workload.queue = fields_.intern_if(fields_.string(spec, "queueName"));
    if (workload.queue.valid()) record_.queue = fields_.report().place(spec["queueName"]);
    workload.active = fields_.boolean(spec, "active", true);
    decode_priority(spec);
    decode_pod_sets(spec.absent() ? object : spec);
    decode_workload_status(fields_.object(object, "status"), record_, fields_);
    return std::move(record_);
  }

 private:
  void decode_priority(Value spec) {
    if (std::optional<int64_t> read = fields_.integer(spec, "priority", INT32_MIN, INT32_MAX)) {
      record_.priority = static_cast<int32_t>(*read);
    }
    Value name = spec["priorityClassName"];
    fields_.string(spec, "priorityClassName");
    std::string_view source = fields_.word(spec, "priorityClassSource", kClassSources);
    if (source == kClassSources[1]) record_.priority_source = PrioritySource::WorkloadClasses;
    if (source == kClassSources[2]) record_.priority_source = PrioritySource::PodClasses;
    Value reference = fields_.object(spec, "priorityClassRef");
    if (!reference.absent()) {
      fields_.known_keys(reference, kClassKeys);
      fields_.string(reference, "name");
      name = reference["name"];
      std::string_view kind = fields_.word(reference, "kind", kClassKinds);
      if (kind == kClassKinds[0]) record_.priority_source = PrioritySource::WorkloadClasses;
      if (kind == kClassKinds[1]) record_.priority_source = PrioritySource::PodClasses;
    }
    record_.workload.priority_class = fields_.intern_if(name.text());
    if (!name.absent()) record_.priority_class = fields_.report().place(name);
  }

  void decode_pod_sets(Value spec) {
    Value list = fields_.list(spec, "podSets");
    if (spec["podSets"].absent()) {
      fields_.missing(spec, "podSets", "from 1 to 18 PodSets");
    } else if (list.exists() && (list.size() == 0 || list.size() > kMostPodSets)) {
      fields_.error(list, std::to_string(list.size()) + " PodSets", "from 1 to 18");
    }
    std::vector<PlacedRequest> requests;
    for (Value item : list.items()) {
      if (item.is(ValueKind::Object)) {
        take_pod_set(item, requests);
      } else {
        fields_.error(item, describe(item), "an object with name, count and template");
      }
    }
    check_request_groups(requests, record_.workload.pod_sets, fields_);
  }

  void take_pod_set(Value item, std::vector<PlacedRequest>& requests) {
    PodSet set;
    fields_.known_keys(item, kPodSetKeys);
    std::string_view name = fields_.string(item, "name");
    set.name = fields_.intern(name.empty() ? kDefaultPodSet : name);
    std::vector<PodSet>& sets = record_.workload.pod_sets;
    bool again = check_pod_set_name(name.empty() ? item : item["name"], set.name, sets, fields_);
    set.count = static_cast<int32_t>(fields_.integer(item, "count", 0, INT32_MAX).value_or(1));
    decode_min_count(item, set);
    std::optional<StrId> priority_class = decode_template(item, set);
    RequestBounds bounds{.pods = set.count};
    Value request = fields_.object(item, "topologyRequest");
    PlacedRequest placed = decode_topology_request(request, bounds, fields_);
    set.topology = placed.request;
    Value annotations = item["template"]["metadata"]["annotations"];
    set.topology.index_offset = decode_index_offset(annotations, fields_);
    set.topology.balanced = decode_balance(annotations, fields_);
    if (again) return;
    if (priority_class) record_.pod_priority_classes.push_back(*priority_class);
    sets.push_back(std::move(set));
    requests.push_back(placed);
  }

  void decode_min_count(Value item, PodSet& set) {
    std::optional<int64_t> read = fields_.integer(item, "minCount", 1, INT32_MAX);
    if (!read) return;
    if (*read > set.count) {
      fields_.error(item["minCount"], describe(item["minCount"]),
                    "at most the count, " + std::to_string(set.count));
      return;
    }
    const std::vector<PodSet>& sets = record_.workload.pod_sets;
    auto given = [](const PodSet& other) { return other.min_count.has_value(); };
    if (std::any_of(sets.begin(), sets.end(), given)) {
      fields_.error(item["minCount"], "a second PodSet with minCount", "at most one");
    }
    set.min_count = static_cast<int32_t>(*read);
  }

  // The priority class of the PodSet's pods; nullopt: there is no template.
  std::optional<StrId> decode_template(Value item, PodSet& set) {
    Value pod_template = fields_.object(item, "template");
    if (pod_template.absent()) {
      if (item["template"].absent()) fields_.missing(item, "template", "the pods of the PodSet");
      return std::nullopt;
    }
    PodRecord pod = pods_.decode_template(pod_template);
    set.spec = *pod.object.spec;
    set.labels = std::move(pod.object.pod.labels);
    return pod.priority_class;
  }

  PodDecoder& pods_;
  FieldReader& fields_;
  WorkloadRecord record_;
};

}  // namespace

bool check_pod_set_name(Value at, StrId name, std::span<const PodSet> sets, FieldReader& fields) {
  std::string_view text = fields.vocabulary().strings.view(name);
  if (!is_dns_label(text)) {
    fields.error(at, "PodSet " + in_quotes(text),
                 "a name of at most 63 lower case letters, digits and '-'");
  }
  bool again = std::ranges::any_of(sets, [&](const PodSet& set) { return set.name == name; });
  if (again) fields.error(at, "PodSet " + in_quotes(text) + " a second time", "each name once");
  return again;
}

WorkloadRecord decode_workload(Value object, PodDecoder& pods, FieldReader& fields) {
  return WorkloadDecoder(pods, fields).decode(object);
}

}  // namespace trellis
