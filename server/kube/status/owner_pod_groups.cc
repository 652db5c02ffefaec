#include "server/kube/status/owner_pod_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/document/json_objects.h"
#include "server/kube/watch/owner_reference.h"
#include "server/objects/decoders.h"
#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

constexpr std::string_view kKaiGroup = "scheduling.run.ai";
constexpr std::string_view kApiVersion = "scheduling.run.ai/v2alpha2";
constexpr int kMostOwners = 32;

std::string keyed(const Json& object, const char* holder, const std::string& key) {
  auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return "";
  auto found = metadata->find(holder);
  return found == metadata->end() || !found->is_object() ? "" : text_at(*found, key.c_str());
}

// The object that a gang's PodGroup is made for.
struct MadeFor {
  Json owner;        // a reference to it
  std::string name;  // the owner's, followed by the group's where it has groups
};

class Requests {
 public:
  Requests(const Cluster& cluster, const FindObject& find)
      : cluster_(cluster), find_(find), strings_(cluster.vocabulary().strings) {}

  std::vector<ApiRequest> run() {
    for (size_t i = 0; i < cluster_.gangs().size(); ++i) add(GangId(i));
    return std::move(requests_);
  }

 private:
  void add(GangId id) {
    const Gang& gang = cluster_.gangs()[id];
    std::optional<PodId> pod = first_of_ours(id);
    if (!pod || !gang.errors.empty()) return;
    std::string name_space(strings_.view(gang.name_space));
    Json there = parse_object(find_(kKaiGroup, "PodGroup", name_space, gang.name));
    if (there.is_object()) {
      bool made = !keyed(there, "annotations", std::string(kMadeForKey)).empty();
      if (made) update(gang, name_space, there);
      return;
    }
    std::optional<MadeFor> made_for = find_owner(name_space, cluster_.pods()[*pod].pod.name);
    if (!made_for || made_for->name != gang.name) return;
    create(gang, name_space, *made_for);
  }

  // The first unfinished pod by name. None: all have finished, or another scheduler or a workload
  // places them.
  std::optional<PodId> first_of_ours(GangId gang) const {
    std::optional<PodId> first;
    for (PodId id : cluster_.pods_of(gang)) {
      const PodSlot& slot = cluster_.pods()[id];
      if (slot.pod.hold == PodHold::OtherScheduler || slot.pod.workload.valid()) return {};
      if (has_finished(slot.pod.status)) continue;
      if (!first || slot.pod.name < cluster_.pods()[*first].pod.name) first = id;
    }
    return first;
  }

  std::optional<MadeFor> find_owner(const std::string& name_space, const std::string& pod_name) {
    Json pod = parse_object(find_("", "Pod", name_space, pod_name));
    if (!pod.is_object()) return {};
    const Json spec = pod.value("spec", Json::object());
    bool named = !keyed(pod, "annotations", "pod-group-name").empty() ||
                 !keyed(pod, "labels", "pod-group-name").empty() ||
                 spec.contains("schedulingGroup") || spec.contains("workloadRef");
    if (named) return {};
    Json below;
    Json owner = owner_reference(pod);
    for (int i = 0; i < kMostOwners && owner.is_object(); ++i) {
      std::string group = group_of(text_at(owner, "apiVersion"));
      std::string kind = text_at(owner, "kind");
      if (kind == "Node") break;
      const OwnerKind* known = find_owner_kind(group, kind);
      Grouping grouping = known == nullptr ? Grouping::Together : known->grouping;
      if (grouping == Grouping::EachPod) return {};
      if (grouping == Grouping::EachBelow && below.is_object()) return of(below, "");
      if (grouping == Grouping::EachGroup) {
        return of(owner, keyed(pod, "labels", std::string(known->group_label)));
      }
      if (grouping == Grouping::EachBelow) return of(owner, "");
      below = owner;
      owner = owner_reference(parse_object(find_(group, kind, name_space, text_at(owner, "name"))));
    }
    return of(below, "");
  }

  static std::optional<MadeFor> of(const Json& owner, const std::string& group) {
    if (!owner.is_object() || text_at(owner, "uid").empty()) return {};
    std::string name = text_at(owner, "name");
    // A pod that owns other pods, such as a driver, is no controller of a gang's object.
    if (text_at(owner, "kind") == "Pod" || name.empty()) return {};
    return MadeFor{owner, group.empty() ? name : name + "-" + group};
  }

  void create(const Gang& gang, const std::string& name_space, const MadeFor& made_for) {
    Json reference = Json::object();
    for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
      reference[key] = text_at(made_for.owner, key);
    }
    Json object = Json::object();
    object["apiVersion"] = kApiVersion;
    object["kind"] = "PodGroup";
    object["metadata"]["name"] = gang.name;
    object["metadata"]["namespace"] = name_space;
    object["metadata"]["annotations"][std::string(kMadeForKey)] = made_for.name;
    object["metadata"]["ownerReferences"] = Json::array({reference});
    object["spec"] = counts(gang);
    if (gang.queue.valid()) object["spec"]["queue"] = strings_.view(*gang.queue);
    if (gang.topology.asks_level()) {
      Json& wanted = object_at(object["spec"], "topologyConstraint");
      auto set = [&](const char* key, StrId word) {
        if (word.valid()) wanted[key] = strings_.view(word);
      };
      set("topology", gang.topology.topology);
      set("requiredTopologyLevel", gang.topology.required);
      set("preferredTopologyLevel", gang.topology.preferred);
    }
    requests_.push_back({"POST", path(name_space), one_line(object), kJson});
  }

  void update(const Gang& gang, const std::string& name_space, const Json& there) {
    Json spec = counts(gang);
    const Json old = there.value("spec", Json::object());
    if (old.is_object() && spec["minMember"] == old.value("minMember", Json()) &&
        spec.value("subGroups", Json::array()) == old.value("subGroups", Json::array())) {
      return;
    }
    if (!spec.contains("subGroups")) spec["subGroups"] = nullptr;
    Json patch = Json::object();
    patch["spec"] = std::move(spec);
    requests_.push_back(
        {"PATCH", path(name_space) + "/" + gang.name, one_line(patch), kMergePatch});
  }

  Json counts(const Gang& gang) const {
    Json spec = Json::object();
    spec["minMember"] = gang.min_member;
    for (const Subgroup& subgroup : gang.subgroups) {
      Json part = Json::object();
      part["name"] = strings_.view(subgroup.name);
      part["minMember"] = subgroup.min_member;
      spec["subGroups"].push_back(std::move(part));
    }
    return spec;
  }

  static std::string path(const std::string& name_space) {
    return "/apis/" + std::string(kApiVersion) + "/namespaces/" + name_space + "/podgroups";
  }

  const Cluster& cluster_;
  const FindObject& find_;
  const StringTable& strings_;
  std::vector<ApiRequest> requests_;
};

}  // namespace

std::vector<ApiRequest> owner_pod_group_requests(const Cluster& cluster, const FindObject& find) {
  return Requests(cluster, find).run();
}

}  // namespace trellis
