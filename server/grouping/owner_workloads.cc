#include "server/grouping/owner_workloads.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "framework/shared_value.h"
#include "server/grouping/owner_roles.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decode_topology_request.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/workload_keys.h"
#include "server/objects/workload_name.h"

namespace trellis {
namespace {

constexpr int64_t kMostCopies = 10'000;

class OwnerWorkloads {
 public:
  OwnerWorkloads(const WorkloadMaker& maker, PodDecoder& pods, FieldReader& fields)
      : maker_(maker), pods_(pods), fields_(fields) {}

  std::vector<WorkloadRecord> make() {
    const OwnerKind* kind = maker_.roles;
    if (kind == nullptr) {
      kind = find_owner_kind(text(maker_.meta.key.group), text(maker_.meta.key.kind));
    }
    OwnerRoles roles = read_owner_roles(maker_.object, *kind, maker_.job, fields_);
    if (roles.finished) return {};
    Value metadata = maker_.object["metadata"];
    read_head(metadata);
    if (roles.roles.empty()) {
      fields_.error(maker_.object["spec"].exists() ? maker_.object["spec"] : maker_.object,
                    "no pods to make", "a template for each role");
    }
    std::vector<PlacedRequest> requests;
    for (const OwnerRole& role : roles.roles) requests.push_back(add_role(role, metadata));
    check_request_groups(requests, record_.workload.pod_sets, fields_);
    if (roles.copies > kMostCopies) {
      fields_.error(maker_.object["spec"], std::to_string(roles.copies) + " replicas",
                    "at most " + std::to_string(kMostCopies));
      roles.copies = 0;
    }
    return copies(roles);
  }

 private:
  std::string text(StrId id) const { return std::string(fields_.vocabulary().strings.view(id)); }

  void read_head(Value metadata) {
    record_.meta = maker_.meta;
    record_.made = true;
    record_.owners = {maker_.meta.key};
    record_.priority_source = PrioritySource::WorkloadClasses;
    Workload& workload = record_.workload;
    workload.name_space = maker_.meta.key.name_space;
    workload.created = workload.queued = maker_.meta.created;
    Value queue = annotation_or_label(metadata, kQueueNameKey);
    workload.queue = reference(fields_, KeyKind::LocalQueue, queue.text());
    record_.queue = fields_.report().place(queue);
    Value named = metadata["labels"]["kueue.x-k8s.io/priority-class"];
    workload.movable = decode_movable(metadata, fields_).value_or(false);
    workload.priority_class = fields_.intern_if(named.text());
    if (workload.priority_class.valid()) record_.priority_class = fields_.report().place(named);
  }

  PlacedRequest add_role(const OwnerRole& role, Value metadata) {
    PodSet set;
    set.name = fields_.intern(role.name);
    check_pod_set_name(maker_.object["spec"], set.name, record_.workload.pod_sets, fields_);
    if (role.pods < 0 || role.pods > INT32_MAX) {
      fields_.error(maker_.object["spec"], std::to_string(role.pods) + " pods of " + role.name,
                    "a number from 0 that fits 31 bits");
    } else {
      set.count = static_cast<int32_t>(role.pods);
    }
    set.min_count = role.min_pods;
    StrId priority_class = role.priority_class;
    SharedValue<PreferenceKeys> preferences;
    SharedValue<PodClaims> claims = role.claims;
    if (role.spec) {
      set.spec = *role.spec;
      set.labels = role.labels;
    } else if (role.pod_template.is(ValueKind::Object)) {
      PodRecord pod = pods_.decode_template(role.pod_template);
      set.spec = *pod.object.spec;
      set.labels = std::move(pod.object.pod.labels);
      priority_class = pod.priority_class;
      preferences = std::move(pod.keys.preferences);
      claims = std::move(pod.claims);
    } else {
      fields_.error(maker_.object["spec"], "no template of " + role.name, "the pods to make");
    }
    record_.pod_priority_classes.push_back(priority_class);
    PlacedRequest placed = request(role, set, metadata);
    set.topology = placed.request;
    record_.workload.pod_sets.push_back(std::move(set));
    record_.preferences.push_back(std::move(preferences));
    record_.claims.push_back(std::move(claims));
    return placed;
  }

  PlacedRequest request(const OwnerRole& role, const PodSet& set, Value metadata) {
    RequestBounds bounds{.pods = set.count};
    // By default a slice of a replicated job is one of its replicas.
    bool replicated = !role.part_label.empty() && role.parts > 0;
    if (replicated) bounds.pods_of_a_slice = static_cast<int32_t>(set.count / role.parts);
    TopologyAnnotations annotations{role.pod_template["metadata"]["annotations"],
                                    metadata["annotations"]};
    PlacedRequest placed = decode_topology_annotations(annotations, bounds, fields_);
    TopologyRequest& wanted = placed.request;
    wanted.index_offset = std::max(wanted.index_offset, role.first_index);
    wanted.index_label = fields_.intern_if(role.index_label);
    wanted.sub_group_label = fields_.intern_if(role.part_label);
    if (replicated)
      wanted.sub_groups = static_cast<int32_t>(std::min<int64_t>(role.parts, INT32_MAX));
    return placed;
  }

  std::vector<WorkloadRecord> copies(const OwnerRoles& roles) {
    std::vector<WorkloadRecord> records;
    std::string group = text(maker_.meta.key.group);
    std::string kind = text(maker_.meta.key.kind);
    std::string base = text(maker_.meta.key.name);
    for (int64_t i = 0; i < roles.copies; ++i) {
      std::string name = base;
      if (roles.numbered) name += "-" + std::to_string(i);
      WorkloadRecord record = record_;
      record.workload.name = workload_name({group, kind, name, maker_.meta.uid});
      refer(fields_, KeyKind::Name, record.workload.name);
      if (roles.numbered) record.copy = static_cast<int32_t>(i);
      records.push_back(std::move(record));
    }
    return records;
  }

  const WorkloadMaker& maker_;
  PodDecoder& pods_;
  FieldReader& fields_;
  WorkloadRecord record_;
};

}  // namespace

bool asks_for_workload(Value object, const Meta& meta, const StringTable& strings) {
  return makes_workloads(strings.view(meta.key.group), strings.view(meta.key.kind)) &&
         !annotation_or_label(object["metadata"], kQueueNameKey).text().empty();
}

void refer_to_workload(const WorkloadMaker& maker, FieldReader& fields) {
  const StringTable& strings = fields.vocabulary().strings;
  const Meta& meta = maker.meta;
  refer(fields, KeyKind::LocalQueue,
        annotation_or_label(maker.object["metadata"], kQueueNameKey).text());
  refer(fields, KeyKind::Name,
        workload_name({strings.view(meta.key.group), strings.view(meta.key.kind),
                       strings.view(meta.key.name), meta.uid}));
}

std::vector<WorkloadRecord> make_owner_workloads(const WorkloadMaker& maker, PodDecoder& pods,
                                                 FieldReader& fields) {
  return OwnerWorkloads(maker, pods, fields).make();
}

}  // namespace trellis
