#include "bench/gang_texts.h"

#include <numeric>
#include <string_view>

namespace trellis::bench {
namespace {

std::string quoted(std::string_view key, std::string_view value) {
  std::string text;
  text.append("\"").append(key).append("\":\"").append(value).append("\"");
  return text;
}

// A KAI constraint, as a member with a comma before it; "" without levels.
std::string kai_constraint(std::string_view required, std::string_view preferred) {
  if (required.empty() && preferred.empty()) return "";
  std::string text = R"(,"topologyConstraint":{)" + quoted("topology", "hall");
  if (!required.empty()) text += "," + quoted("requiredTopologyLevel", required);
  if (!preferred.empty()) text += "," + quoted("preferredTopologyLevel", preferred);
  return text + "}";
}

std::string kai_subgroups(const GangTexts& shape) {
  if (shape.pods.size() < 2) return "";
  std::string text;
  for (size_t i = 0; i < shape.pods.size(); ++i) {
    text += (text.empty() ? R"(,"subGroups":[{)" : ",{") + quoted("name", std::to_string(i)) +
            R"(,"minMember":)" + std::to_string(shape.pods[i]) +
            kai_constraint(shape.subgroup_required, "") + "}";
  }
  return text + "]";
}

std::string pod_group(const GangTexts& shape, const std::string& gang) {
  std::string meta = R"("kind":"PodGroup","metadata":{"namespace":"team",)" + quoted("name", gang) +
                     R"(},"spec":{)";
  std::string least = std::to_string(shape.pods_per_gang());
  if (shape.api == GangApi::Kai) {
    return R"({"apiVersion":"scheduling.run.ai/v2alpha2",)" + meta + R"("minMember":)" + least +
           kai_constraint(shape.required, shape.preferred) + kai_subgroups(shape) + "}}\n";
  }
  std::string level = shape.required.empty() ? ""
                                             : R"(,"schedulingConstraints":{"topology":[{)" +
                                                   quoted("key", shape.required) + "}]}";
  return R"({"apiVersion":"scheduling.k8s.io/v1beta1",)" + meta +
         R"("schedulingPolicy":{"gang":{"minCount":)" + least + "}}" + level + "}}\n";
}

std::string pod(const GangTexts& shape, const std::string& gang, int index, size_t subgroup) {
  bool kai = shape.api == GangApi::Kai;
  std::string keys;
  if (kai) keys = R"(,"annotations":{)" + quoted("pod-group-name", gang) + "}";
  if (shape.pods.size() > 1) {
    keys +=
        R"(,"labels":{)" + quoted("kai.scheduler/subgroup-name", std::to_string(subgroup)) + "}";
  }
  std::string group = kai ? "" : R"("schedulingGroup":{)" + quoted("podGroupName", gang) + "},";
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"team",)" +
         quoted("name", gang + "-" + std::to_string(index)) + keys + R"(},"spec":{)" + group +
         R"("containers":[{"name":"main","resources":{"requests":{"cpu":"100m",)" +
         R"("memory":"500Mi"}}}]},"status":{"phase":"Pending"}})" + "\n";
}

}  // namespace

int GangTexts::pods_per_gang() const { return std::accumulate(pods.begin(), pods.end(), 0); }

std::string rack_texts(const RackShape& shape) {
  std::string text = R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Topology","metadata":{)" +
                     quoted("name", "hall") + R"(},"spec":{"levels":[{)" +
                     quoted("nodeLabel", kBlockLabel) + "},{" + quoted("nodeLabel", kRackLabel) +
                     R"(},{"nodeLabel":"kubernetes.io/hostname"}]}})" + "\n";
  for (int i = 0; i < shape.nodes; ++i) {
    std::string name = "node-" + std::to_string(i);
    int rack = i / shape.nodes_per_rack;
    text += R"({"apiVersion":"v1","kind":"Node","metadata":{)" + quoted("name", name) +
            R"(,"labels":{)" + quoted("kubernetes.io/hostname", name) + "," +
            quoted(kRackLabel, "r" + std::to_string(rack)) + "," +
            quoted(kBlockLabel, "b" + std::to_string(rack / shape.racks_per_block)) +
            R"(}},"status":{"allocatable":{"cpu":"4","memory":"32Gi","pods":"110"}}})" + "\n";
  }
  return text;
}

std::string gang_texts(const GangTexts& shape) {
  std::string text;
  for (int i = 0; i < shape.gangs; ++i) {
    std::string gang = "gang-" + std::to_string(i);
    text += pod_group(shape, gang);
    int index = 0;
    for (size_t part = 0; part < shape.pods.size(); ++part) {
      for (int end = index + shape.pods[part]; index < end; ++index) {
        text += pod(shape, gang, index, part);
      }
    }
  }
  return text;
}

}  // namespace trellis::bench
