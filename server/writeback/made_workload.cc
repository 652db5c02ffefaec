#include "server/writeback/made_workload.h"

#include <string_view>

#include "server/document/timestamp.h"
#include "server/objects/workload_keys.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

class WorkloadObject {
 public:
  WorkloadObject(const Cluster& cluster, const Workload& workload)
      : cluster_(cluster), strings_(cluster.vocabulary().strings), workload_(workload) {}

  Json make(const std::vector<const WorkloadOwnership*>& owners,
            const std::map<std::string, Json>& templates) const {
    Json object = {{"apiVersion", "kueue.x-k8s.io/v1beta2"}, {"kind", "Workload"}};
    Json& metadata = object["metadata"] = Json::object();
    if (workload_.name_space.valid()) metadata["namespace"] = strings_.view(workload_.name_space);
    metadata["name"] = workload_.name;
    if (workload_.created != kNoTime) {
      metadata["creationTimestamp"] = format_timestamp(workload_.created);
    }
    if (workload_.movable) metadata["annotations"][std::string(kMovableKey)] = "true";
    for (const WorkloadOwnership* owner : owners) {
      metadata["ownerReferences"].push_back(reference(*owner, owners.size() == 1));
    }
    Json& spec = object["spec"] = Json::object();
    spec["queueName"] = strings_.view(workload_.queue);
    spec["priority"] = workload_.priority;
    if (!workload_.active) spec["active"] = false;
    if (workload_.priority_class.valid()) {
      spec["priorityClassRef"] = {{"group", "kueue.x-k8s.io"},
                                  {"kind", "WorkloadPriorityClass"},
                                  {"name", strings_.view(workload_.priority_class)}};
    }
    Json& sets = spec["podSets"] = Json::array();
    for (const PodSet& set : workload_.pod_sets) sets.push_back(pod_set(set, templates));
    return object;
  }

 private:
  // The reader uses the kind and the group; any version will do.
  static Json reference(const WorkloadOwnership& owner, bool alone) {
    std::string version = owner.group.empty() ? "v1" : owner.group + "/v1";
    Json written = {{"apiVersion", version}, {"kind", owner.kind}, {"name", owner.name}};
    if (alone) written["controller"] = true;
    return written;
  }

  Json pod_set(const PodSet& set, const std::map<std::string, Json>& templates) const {
    std::string name(strings_.view(set.name));
    Json written = {{"name", name}, {"count", set.count}};
    if (set.min_count) written["minCount"] = *set.min_count;
    auto found = templates.find(name);
    written["template"] = found != templates.end() ? found->second : bare_template(set);
    annotate(written["template"], set.topology);
    Json request = topology_request(set.topology);
    if (!request.empty()) written["topologyRequest"] = std::move(request);
    return written;
  }

  // Writes the values for which a topologyRequest has no field.
  static void annotate(Json& pod_template, const TopologyRequest& request) {
    auto set = [&](const char* key, std::string value) {
      object_at(object_at(pod_template, "metadata"), "annotations")[key] = std::move(value);
    };
    if (request.balanced) set("trellis.scheduler/topology-balance", "true");
    if (request.index_offset > 0) {
      set("kueue.x-k8s.io/pod-index-offset", std::to_string(request.index_offset));
    }
  }

  Json bare_template(const PodSet& set) const {
    const ResourceTable& resources = cluster_.vocabulary().resources;
    Json requests = Json::object();
    for (const auto& [resource, amount] : set.spec.requests.items()) {
      if (resource == kPods) continue;
      requests[resources.name(resource)] = quantity_text(resources, resource, amount);
    }
    Json container = {{"name", "main"}, {"resources", {{"requests", requests}}}};
    return {{"spec", {{"containers", Json::array({container})}}}};
  }

  Json topology_request(const TopologyRequest& request) const {
    Json written = Json::object();
    auto set = [&](const char* key, StrId value) {
      if (value.valid()) written[key] = strings_.view(value);
    };
    set("required", request.required);
    set("preferred", request.preferred);
    if (request.unconstrained) written["unconstrained"] = true;
    set("podIndexLabel", request.index_label);
    set("subGroupIndexLabel", request.sub_group_label);
    if (request.sub_groups > 0) written["subGroupCount"] = request.sub_groups;
    set("podSetGroupName", request.group);
    if (request.segments.size() == 1) {
      set("podSetSliceRequiredTopology", request.segments.front().required);
      written["podSetSliceSize"] = request.segments.front().size;
    }
    for (size_t i = 0; request.segments.size() > 1 && i < request.segments.size(); ++i) {
      written["podsetSliceRequiredTopologyConstraints"].push_back(
          {{"topology", strings_.view(request.segments[i].required)},
           {"size", request.segments[i].size}});
    }
    return written;
  }

  const Cluster& cluster_;
  const StringTable& strings_;
  const Workload& workload_;
};

}  // namespace

Json make_workload_object(const Cluster& cluster, WorkloadId id,
                          const std::vector<const WorkloadOwnership*>& owners,
                          const std::map<std::string, Json>& templates) {
  return WorkloadObject(cluster, cluster.workloads()[id]).make(owners, templates);
}

}  // namespace trellis
