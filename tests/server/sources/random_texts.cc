#include "tests/server/sources/random_texts.h"

#include <utility>

#include "server/objects/pods_fingerprint.h"

namespace trellis::test {

struct RandomTexts::Slot {
  std::string prefix;  // of the text's name
  std::string kind;
  std::string name_space;  // empty: it has none
  std::string name;
  int weight;

  std::string text_name() const {
    if (prefix == "storage") return prefix + "/" + kind + "/" + name;
    return prefix + "/" + (name_space.empty() ? "" : name_space + "/") + name;
  }
};

namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::string member(const std::string& key, const std::string& value) {
  return "\"" + key + "\":\"" + value + "\"";
}

std::string api_version(const std::string& kind) {
  static const std::map<std::string, std::string> kVersions = {
      {"Job", "batch/v1"},
      {"JobSet", "jobset.x-k8s.io/v1alpha2"},
      {"ReplicaSet", "apps/v1"},
      {"Deployment", "apps/v1"},
      {"DaemonSet", "apps/v1"},
      {"RayCluster", "ray.io/v1"},
      {"Fleet", "example.com/v1"},
      {"Pod", "v1"},
      {"Node", "v1"}};
  return kVersions.at(kind);
}

const std::string kTemplateSpec = R"("spec":{"containers":[{"name":"c"}]})";

}  // namespace

std::string RandomTexts::pick(const Words& words) {
  return words[static_cast<size_t>(below(static_cast<int>(words.size())))];
}

std::string RandomTexts::owners() {
  static const std::vector<std::pair<std::string, std::string>> kOwners = {
      {"Job", "x"},          {"Job", "j"},          {"JobSet", "x"},     {"ReplicaSet", "rs0"},
      {"ReplicaSet", "rs0"}, {"ReplicaSet", "rs1"}, {"Deployment", "d"}, {"Fleet", "f"},
      {"RayCluster", "r"},   {"DaemonSet", "ds"},   {"Pod", "p0"},       {"Node", "n0"}};
  if (one_in(3)) return "";
  const auto& [kind, name] = kOwners[static_cast<size_t>(below(static_cast<int>(kOwners.size())))];
  return R"("ownerReferences":[{)" + member("apiVersion", api_version(kind)) + "," +
         member("kind", kind) + "," + member("name", name) + R"(,"controller":true}])";
}

std::string RandomTexts::metadata(const std::string& name_space, const std::string& name,
                                  const Words& labels, const Words& annotations,
                                  const std::string& rest) {
  Words all = labels;
  if (one_in(3)) all.push_back(member("pool", pick({"blue", "red"})));
  std::string text = "\"metadata\":{" + member("name", name);
  if (!name_space.empty()) text += "," + member("namespace", name_space);
  text += "," + member("uid", std::to_string(below(3)));
  text += "," + member("resourceVersion", std::to_string(below(1'000'000)));
  text += ",\"labels\":{" + joined(all) + "},\"annotations\":{" + joined(annotations) + "}";
  if (!rest.empty()) text += "," + rest;
  return text + "}";
}

Words RandomTexts::gang_annotations() {
  Words words;
  if (one_in(5)) words.push_back(member("pod-group-name", pick({"g0", "g1", "x"})));
  if (one_in(6)) words.push_back(member("kai.scheduler/queue", pick({"q0", "q1"})));
  if (one_in(8)) words.push_back(member("trellis.scheduler/max-pods-per-node", pick({"1", "2"})));
  if (one_in(8)) words.push_back(member("kai.scheduler/topology-required-placement", "rack"));
  return words;
}

std::string RandomTexts::pod(const std::string& name_space, const std::string& name) {
  Words labels;
  if (one_in(3)) labels.push_back(member("app", pick({"web", "api"})));
  if (one_in(6)) labels.push_back(member("kueue.x-k8s.io/queue-name", "lq"));
  Words annotations = gang_annotations();
  if (one_in(8)) annotations.push_back(member("kueue.x-k8s.io/workload", pick({"w0", "x"})));
  if (one_in(8)) {
    labels.push_back(member("kueue.x-k8s.io/pod-group-name", pick({"w0", "together"})));
    annotations.push_back(member("kueue.x-k8s.io/pod-group-total-count", "2"));
  }
  std::string node = one_in(2) ? pick({"n0", "n1", "n2"}) : "";
  bool ended = one_in(6);
  std::string claim = one_in(6) ? pick({"c0", "c1"}) : "";
  std::string device = one_in(5) ? pick({"rc0", "rc1"}) : "";
  bool made = one_in(2);  // from a template
  std::string amounts = pick({R"("cpu":"1")", R"("cpu":"2","memory":"1Gi")"});
  std::string spec = member("schedulerName", pick({"ours", "theirs"}));
  if (one_in(4))
    spec += R"(,"schedulingGroup":{)" + member("podGroupName", pick({"k0", "k1", "x"})) + "}";
  if (!node.empty()) spec += "," + member("nodeName", node);
  if (!claim.empty()) {
    spec +=
        R"(,"volumes":[{"name":"v","persistentVolumeClaim":{)" + member("claimName", claim) + "}}]";
  }
  std::string made_claims;
  if (!device.empty()) {
    spec +=
        R"(,"resourceClaims":[{"name":"d",)" +
        (made ? member("resourceClaimTemplateName", "t") : member("resourceClaimName", device)) +
        "}]";
    if (made && !one_in(4)) {
      made_claims =
          R"(,"resourceClaimStatuses":[{"name":"d",)" + member("resourceClaimName", device) + "}]";
    }
  }
  spec += R"(,"containers":[{"name":"c","resources":{"requests":{)" + amounts + R"(},"limits":{)" +
          amounts + "}}}]";
  nodes_.erase(name_space + "/" + name);
  if (!node.empty() && !ended) nodes_[name_space + "/" + name] = node;
  std::string phase = ended ? "Succeeded" : node.empty() ? "Pending" : pick({"Pending", "Running"});
  std::string reason = one_in(10) ? "," + member("reason", "TopologyAffinityError") : "";
  if (!reason.empty()) phase = "Failed";
  if (!reason.empty()) nodes_.erase(name_space + "/" + name);
  return R"({"apiVersion":"v1","kind":"Pod",)" +
         metadata(name_space, name, labels, annotations, owners()) + ",\"spec\":{" + spec +
         "},\"status\":{" + member("phase", phase) + reason + made_claims + "}}";
}

// There is room in it for few pods, or none.
std::string RandomTexts::resource_claim(const std::string& name_space, const std::string& name) {
  std::string reserved;
  for (int left = 253 + below(4); left > 0; --left) {
    reserved += (reserved.empty() ? "{" : ",{") + member("uid", "u" + std::to_string(left)) + "}";
  }
  std::string selector =
      one_in(2) ? R"(,"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"rack",)"
                  R"("operator":"In","values":["r0"]}]}]})"
                : "";
  std::string status;
  if (!one_in(4)) {
    status = R"("allocation":{"devices":{})" + selector + R"(},"reservedFor":[)" + reserved + "]";
  }
  return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)" +
         metadata(name_space, name, {}, {}, "") + ",\"status\":{" + status + "}}";
}

std::string RandomTexts::pod_group(const std::string& name_space, const std::string& name) {
  std::string spec = "\"minMember\":" + std::to_string(1 + below(3));
  if (one_in(2)) spec += "," + member("queue", pick({"q0", "q1"}));
  if (one_in(3)) spec += "," + member("priorityClassName", "pc");
  return R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup",)" +
         metadata(name_space, name, {}, gang_annotations(), owners()) + ",\"spec\":{" + spec +
         "},\"status\":{" + member("phase", std::to_string(below(100))) + "}}";
}

std::string RandomTexts::owner(const std::string& kind, const std::string& name_space,
                               const std::string& name) {
  Words labels;
  if (one_in(4)) labels.push_back(member("kueue.x-k8s.io/queue-name", "lq"));
  std::string above = kind == "Pod" ? "" : owners();
  std::string own = one_in(3) ? joined(gang_annotations()) : "";
  std::string spec =
      R"("template":{"metadata":{"annotations":{)" + own + "}}," + kTemplateSpec + "}";
  if (kind == "Job") spec += ",\"parallelism\":" + std::to_string(1 + below(3));
  return "{" + member("apiVersion", api_version(kind)) + "," + member("kind", kind) + "," +
         metadata(name_space, name, labels, gang_annotations(), above) + ",\"spec\":{" + spec +
         "},\"status\":{\"readyReplicas\":" + std::to_string(below(100)) + "}}";
}

std::string RandomTexts::workload(const std::string& name_space, const std::string& name) {
  std::string status = one_in(2) ? R"("admission":{"clusterQueue":"cq","podSetAssignments":)"
                                   R"([{"name":"main","count":1}]})"
                                 : "";
  return R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",)" +
         metadata(name_space, name, {}, {}, owners()) + R"(,"spec":{"queueName":"lq","podSets":)" +
         R"([{"name":"main","count":1,"template":{)" + kTemplateSpec + "}}]},\"status\":{" +
         status + "}}";
}

// Sometimes its fingerprint is that of the pods that are there.
std::string RandomTexts::numa(const std::string& name) {
  std::string attributes;
  if (one_in(2)) {
    PodsFingerprint fingerprint;
    for (const auto& [pod, node] : nodes_) {
      size_t slash = pod.find('/');
      if (node == name) fingerprint.add(pod.substr(0, slash), pod.substr(slash + 1));
    }
    attributes = R"("attributes":[{"name":"nodeTopologyPodsFingerprint",)" +
                 member("value", fingerprint.text()) + "}],";
  }
  return R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology",)" +
         metadata("", name, {}, {}, "") + "," + attributes +
         R"("zones":[{"name":"node-0","type":"Node","resources":[{"name":"cpu","capacity":"16",)"
         R"("allocatable":"16","available":"16"}]}]})";
}

std::string RandomTexts::volume_claim(const std::string& name_space, const std::string& name) {
  Words annotations;
  if (one_in(2)) annotations.push_back(member("pv.kubernetes.io/bind-completed", "yes"));
  if (one_in(4)) annotations.push_back(member("volume.kubernetes.io/selected-node", "n0"));
  std::string volume = one_in(2) ? "," + member("volumeName", pick({"v0", "v1"})) : "";
  return R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",)" +
         metadata(name_space, name, {}, annotations, "") + ",\"spec\":{" +
         member("storageClassName", pick({"sc", "sc", "other"})) +
         R"(,"resources":{"requests":{"storage":"1Gi"}})" + volume + "}}";
}

std::string RandomTexts::storage(const std::string& kind, const std::string& name) {
  std::string head = "{" + member("kind", kind) + "," + metadata("", name, {}, {}, "") + ",";
  if (kind == "PersistentVolume") {
    std::string claim = one_in(2) ? R"(,"claimRef":{)" + member("namespace", pick({"a", "b"})) +
                                        "," + member("name", "c0") + "}"
                                  : "";
    return head + R"("apiVersion":"v1","spec":{"capacity":{"storage":"2Gi"},)" +
           member("storageClassName", "sc") + R"(,"csi":{"driver":"d","volumeHandle":"h")" + "}" +
           claim + "},\"status\":{" + member("phase", pick({"Available", "Bound"})) + "}}";
  }
  head += R"("apiVersion":"storage.k8s.io/v1",)";
  if (kind == "StorageClass") {
    return head + R"("provisioner":"d",)" +
           member("volumeBindingMode", pick({"Immediate", "WaitForFirstConsumer"})) + "}";
  }
  if (kind == "CSINode") {
    return head + R"("spec":{"drivers":[{"name":"d","allocatable":{"count":)" +
           std::to_string(below(3)) + "}}]}}";
  }
  return head + "\"spec\":{" + member("attacher", "d") + "," +
         member("nodeName", pick({"n0", "n1"})) + R"(,"source":{)" +
         member("persistentVolumeName", pick({"v0", "v1"})) + "}}}";
}

std::string RandomTexts::far_reaching(const std::string& kind, const std::string& name) {
  static const std::map<std::string, std::string> kObjects = {
      {"Queue", R"("apiVersion":"scheduling.run.ai/v2","spec":{"priority":)"},
      {"PriorityClass", R"("apiVersion":"scheduling.k8s.io/v1","value":)"},
      {"ClusterQueue",
       R"("apiVersion":"kueue.x-k8s.io/v1beta2","spec":{"fairSharing":{"weight":)"}};
  std::string text = "{" + member("kind", kind) + "," + metadata("", name, {}, {}, "") + ",";
  if (kind == "Topology") {
    return text + R"("apiVersion":"kueue.x-k8s.io/v1beta2","spec":{"levels":[{"nodeLabel":")" +
           pick({"block", "zone"}) + R"("},{"nodeLabel":"rack"}]}})";
  }
  text += kObjects.at(kind) + std::to_string(1 + below(3));
  if (kind == "Queue") text += "}";
  if (kind == "ClusterQueue") text += "}}";
  return text + "}";
}

// A PodGroup or CompositePodGroup of Kubernetes' own.
std::string RandomTexts::core_group(const std::string& kind, const std::string& name_space,
                                    const std::string& name) {
  bool inner = kind == "CompositePodGroup";
  std::string text = "{" + member("apiVersion", "scheduling.k8s.io/v1alpha3") + "," +
                     member("kind", inner ? kind : "PodGroup") + "," +
                     metadata(name_space, name, {}, gang_annotations(), owners()) +
                     R"(,"spec":{"schedulingPolicy":{"gang":{")" +
                     (inner ? "minGroupCount" : "minCount") + "\":" + std::to_string(1 + below(2)) +
                     "}}";
  if (one_in(2)) text += "," + member("parentCompositePodGroupName", pick({"t0", "t1", "x"}));
  if (one_in(3)) text += R"(,"disruptionMode":{"all":{}})";
  if (one_in(4)) text += R"(,"schedulingConstraints":{"topology":[{"key":"rack"}]})";
  return text + "}}";
}

std::string RandomTexts::make(const Slot& slot) {
  const std::string& kind = slot.kind;
  if (kind == "CorePodGroup" || kind == "CompositePodGroup") {
    return core_group(kind, slot.name_space, slot.name);
  }
  if (kind == "Pod") return pod(slot.name_space, slot.name);
  if (kind == "PodGroup") return pod_group(slot.name_space, slot.name);
  if (kind == "Workload") return workload(slot.name_space, slot.name);
  if (kind == "NodeResourceTopology") return numa(slot.name);
  if (kind == "Node") {
    return R"({"apiVersion":"v1","kind":"Node",)" +
           metadata("", slot.name, {member("rack", pick({"r0", "r1"}))}, {}, "") +
           R"(,"status":{"allocatable":{"cpu":")" + std::to_string(4 + below(4)) +
           R"(","pods":"20"},"conditions":[{"type":"Ready","status":"True",)" +
           member("lastHeartbeatTime", "2026-01-01T00:00:" + std::to_string(10 + below(50)) + "Z") +
           "}]}}";
  }
  if (kind == "PersistentVolumeClaim") return volume_claim(slot.name_space, slot.name);
  if (slot.prefix == "storage") return storage(kind, slot.name);
  if (kind == "ResourceClaim") return resource_claim(slot.name_space, slot.name);
  if (kind == "Namespace") {
    return R"({"apiVersion":"v1","kind":"Namespace",)" +
           metadata("", slot.name, {member("team", pick({"a", "b"}))}, {}, "") + "}";
  }
  if (kind == "LocalQueue") {
    return R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue",)" +
           metadata(slot.name_space, slot.name, {}, {}, "") + R"(,"spec":{"clusterQueue":")" +
           pick({"cq", "none"}) + "\"}}";
  }
  if (!slot.name_space.empty()) return owner(kind, slot.name_space, slot.name);
  return far_reaching(kind, slot.name);
}

std::vector<NamedText> RandomTexts::step(int changes) {
  static const std::vector<Slot> kSlots = [] {
    std::vector<Slot> slots;
    for (const std::string& name_space : {std::string("a"), std::string("b")}) {
      for (const char* name :
           {"p0", "p1", "p2", "p3", "p4", "x", "job.x", "job.x-2", "g0", "rs0"}) {
        slots.push_back({"pods", "Pod", name_space, name, 6});
      }
      for (const char* name : {"g0", "g1", "x"}) {
        slots.push_back({"podgroups", "PodGroup", name_space, name, 3});
      }
      for (const char* name : {"k0", "k1", "x"}) {
        slots.push_back({"podgroups.scheduling.k8s.io", "CorePodGroup", name_space, name, 3});
      }
      for (const char* name : {"t0", "t1", "x"}) {
        slots.push_back({"compositepodgroups", "CompositePodGroup", name_space, name, 3});
      }
      for (const auto& [kind, name] :
           std::vector<std::pair<const char*, const char*>>{{"Job", "x"},
                                                            {"Job", "j"},
                                                            {"JobSet", "x"},
                                                            {"ReplicaSet", "rs0"},
                                                            {"ReplicaSet", "rs1"},
                                                            {"Deployment", "d"},
                                                            {"Fleet", "f"},
                                                            {"RayCluster", "r"},
                                                            {"DaemonSet", "ds"}}) {
        slots.push_back({kind, kind, name_space, name, 2});
      }
      slots.push_back({"workloads.kueue.x-k8s.io", "Workload", name_space, "w0", 3});
      slots.push_back({"workloads.kueue.x-k8s.io", "Workload", name_space, "x", 3});
      slots.push_back({"localqueues", "LocalQueue", name_space, "lq", 2});
      slots.push_back({"claims", "PersistentVolumeClaim", name_space, "c0", 2});
      slots.push_back({"resourceclaims", "ResourceClaim", name_space, "rc0", 2});
      slots.push_back({"resourceclaims", "ResourceClaim", name_space, "rc1", 2});
    }
    for (const char* name : {"n0", "n1", "n2"}) {
      slots.push_back({"nodes", "Node", "", name, 4});
      slots.push_back({"noderesourcetopologies", "NodeResourceTopology", "", name, 3});
      slots.push_back({"storage", "CSINode", "", name, 2});
    }
    for (const auto& [kind, name] :
         std::vector<std::pair<const char*, const char*>>{{"PersistentVolume", "v0"},
                                                          {"PersistentVolume", "v1"},
                                                          {"StorageClass", "sc"},
                                                          {"VolumeAttachment", "at0"},
                                                          {"VolumeAttachment", "at1"}}) {
      slots.push_back({"storage", kind, "", name, 2});
    }
    slots.push_back({"namespaces", "Namespace", "", "a", 1});
    for (const auto& [kind, name] : std::vector<std::pair<const char*, const char*>>{
             {"Queue", "q0"}, {"PriorityClass", "pc"}, {"ClusterQueue", "cq"}, {"Topology", "t"}}) {
      slots.push_back({kind, kind, "", name, 1});
    }
    std::vector<Slot> weighed;
    for (const Slot& slot : slots)
      weighed.insert(weighed.end(), static_cast<size_t>(slot.weight), slot);
    return weighed;
  }();
  std::vector<NamedText> made;
  for (; changes > 0; --changes) {
    const Slot& slot = kSlots[static_cast<size_t>(below(static_cast<int>(kSlots.size())))];
    std::string name = slot.text_name();
    StoredText text;
    if (texts_.contains(name) && one_in(3)) {
      texts_.erase(name);
      nodes_.erase(slot.name_space + "/" + slot.name);
    } else {
      text = StoredText(make(slot));
      texts_[name] = text;
    }
    made.push_back({name, text});
  }
  return made;
}

std::vector<NamedText> RandomTexts::all() const {
  std::vector<NamedText> texts;
  for (const auto& [name, text] : texts_) texts.push_back({name, text});
  return texts;
}

}  // namespace trellis::test
