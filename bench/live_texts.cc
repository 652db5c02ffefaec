#include "bench/live_texts.h"

#include <memory>
#include <utility>

namespace trellis::bench {
namespace {

constexpr int kGang = 8;
constexpr int kReplicas = 50;
constexpr int kQueues = 20;

NamedText text(const std::string& name, std::string json) {
  return {name, StoredText(std::move(json))};
}

std::string node_json(int i) {
  std::string name = "node-" + std::to_string(i);
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
         R"(","uid":"5a1b","resourceVersion":"17","creationTimestamp":"2026-01-01T00:00:00Z",)"
         R"("labels":{"kubernetes.io/hostname":")" +
         name + R"(","rack":"r)" + std::to_string(i / 18) +
         R"("}},"status":{"allocatable":{"cpu":"64","memory":"512Gi","pods":"110",)"
         R"("nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}})";
}

std::string pod_json(int i, int node, int pods) {
  bool gang = i < pods / 2;
  std::string group = std::to_string(gang ? i / kGang : i / kReplicas);
  std::string owner = gang ? ""
                           : R"("ownerReferences":[{"apiVersion":"apps/v1","kind":)"
                             R"("ReplicaSet","name":"web-)" +
                                 group + R"(","uid":"77","controller":true}],)";
  std::string keys = gang ? R"("pod-group-name":"train-)" + group + "\"" : "";
  std::string place = node < 0 ? "" : R"("nodeName":"node-)" + std::to_string(node) + "\",";
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)" + std::to_string(i) +
         R"(","namespace":"team","uid":"u)" + std::to_string(i) +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z",)" + owner + R"("labels":{"run":"j)" +
         group + R"("},"annotations":{)" + keys + R"(}},"spec":{)" + place +
         R"("schedulerName":"trellis","serviceAccountName":"default","containers":[{"name":"main",)"
         R"("image":"registry.example.com/train:1","command":["train","--all"],"resources":)"
         R"({"requests":{"cpu":"4","memory":"16Gi","nvidia.com/gpu":"1"},"limits":)"
         R"({"nvidia.com/gpu":"1"}}}],"tolerations":[{"key":"node.kubernetes.io/not-ready",)"
         R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},"status":{"phase":)" +
         (node < 0 ? "\"Pending\"}}" : "\"Running\"}}");
}

}  // namespace

NamedText live_pod(int i, int node, int pods) {
  return text("pods/team/pod-" + std::to_string(i), pod_json(i, node, pods));
}

std::vector<NamedText> live_texts(int nodes) {
  int pods = nodes * kPodsANode;
  std::vector<NamedText> texts;
  for (int i = 0; i < nodes; ++i)
    texts.push_back(text("nodes/node-" + std::to_string(i), node_json(i)));
  for (int i = 0; i < pods; ++i) texts.push_back(live_pod(i, i % nodes, pods));
  for (int i = 0; i * kGang < pods / 2; ++i) {
    std::string name = "train-" + std::to_string(i);
    texts.push_back(text("podgroups/team/" + name,
                         R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup",)"
                         R"("metadata":{"namespace":"team","name":")" +
                             name + R"("},"spec":{"minMember":8,"queue":"q)" +
                             std::to_string(i % kQueues) + "\"}}"));
  }
  for (int i = pods / 2 / kReplicas; i * kReplicas < pods; ++i) {
    std::string name = "web-" + std::to_string(i);
    texts.push_back(text("replicasets/team/" + name,
                         R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"namespace":)"
                         R"("team","name":")" +
                             name + R"("},"spec":{"replicas":50}})"));
  }
  for (int i = 0; i < kQueues; ++i) {
    std::string name = "q" + std::to_string(i);
    texts.push_back(
        text("queues/" + name, R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":)"
                               R"({"name":")" +
                                   name + R"("},"spec":{"resources":{"gpu":{"quota":100}}}})"));
  }
  return texts;
}

}  // namespace trellis::bench
