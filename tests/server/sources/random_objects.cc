#include "tests/server/sources/random_objects.h"

#include <iterator>

namespace trellis::test {
namespace {

constexpr int kNodes = 12;
constexpr int kGangs = 6;
constexpr int kFiles = 3;

std::string number(int value) { return std::to_string(value); }

}  // namespace

RandomObjects::RandomObjects(uint64_t seed) : random_(seed) {
  set("Topology/hall",
      R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Topology","metadata":{"name":"hall"},)"
      R"("spec":{"levels":[{"nodeLabel":"block"},{"nodeLabel":"rack"}]}})");
  set("Queue/team",
      R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":{"name":"team"},)"
      R"("spec":{"preemptMinRuntime":"2s"}})");
  set("PodDisruptionBudget/one-stays",
      R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"one-stays"},)"
      R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"g0"}}}})");
  for (int i = 0; i < kNodes; ++i) add_node(i);
  for (int i = 0; i < 3; ++i) add_gang(i);
  add_lone_pod(0);
}

void RandomObjects::set(const std::string& key, std::string json) {
  Entry& entry = objects_[key];
  if (entry.file.empty() || one_in(10)) entry.file = "f" + number(below(kFiles)) + ".jsonl";
  entry.json = std::move(json);
}

void RandomObjects::add_node(int i) {
  std::string labels = R"("kubernetes.io/hostname":"n)" + number(i) + "\"";
  if (!one_in(12)) labels += R"(,"block":"b)" + number(i / 6) + "\"";
  if (!one_in(12)) labels += R"(,"rack":"r)" + number(i / 3) + "\"";
  std::string spec = one_in(8) ? R"("spec":{"unschedulable":true},)" : "";
  set("Node/n" + number(i),
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" + number(i) + R"(","labels":{)" +
          labels + "}}," + spec + R"("status":{"allocatable":{"cpu":")" + number(4 + below(8)) +
          R"(","memory":"64Gi","pods":"20","nvidia.com/gpu":")" + number(1 + below(4)) + "\"}}}");
}

std::string RandomObjects::pod_json(const std::string& name, const std::string& gang,
                                    const std::string& shape, const std::string& status) const {
  std::string annotations = gang.empty() ? "" : R"("pod-group-name":")" + gang + "\"";
  std::string request = shape;
  if (shape.starts_with("fraction")) {
    annotations += (annotations.empty() ? "" : ",") + std::string(R"("gpu-fraction":"0.5")");
    request = R"("cpu":"1")";
  }
  std::string affinity;
  if (shape.ends_with("\"2\"")) {
    affinity =
        R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":")" +
        gang + R"("}}}]}})";
  }
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":")" + name +
         R"(","labels":{"app":")" + gang + R"("},"annotations":{)" + annotations +
         R"(}},"spec":{"containers":[{"name":"c","resources":{"requests":{)" + request + "}}}]" +
         affinity + R"(},"status":{"phase":")" + status + "\"}}";
}

void RandomObjects::add_gang(int g) {
  static const std::vector<std::string> kShapes = {
      R"("cpu":"1","nvidia.com/gpu":"1")", R"("cpu":"1","nvidia.com/gpu":"2")", R"("cpu":"3")",
      R"("cpu":"1","memory":"2")", "fraction"};
  static const std::vector<std::string> kConstraints = {
      "", R"(,"topologyConstraint":{"topology":"hall","requiredTopologyLevel":"rack"})",
      R"(,"topologyConstraint":{"topology":"hall","preferredTopologyLevel":"rack"})",
      R"(,"topologyConstraint":{"topology":"hall","requiredTopologyLevel":"block","preferredTopologyLevel":"rack"})",
      R"(,"topologyConstraint":{"topology":"hall","requiredTopologyLevel":"aisle"})"};
  int size = 1 + below(5);
  std::string name = "g" + number(g);
  std::string queue = one_in(3) ? R"(,"queue":"team")" : "";
  set("PodGroup/" + name,
      R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{"namespace":"default","name":")" +
          name + R"("},"spec":{"minMember":)" + number(1 + below(size)) + queue +
          kConstraints[static_cast<size_t>(below(static_cast<int>(kConstraints.size())))] + "}}");
  gang_sizes_[g] = size;
  gang_shapes_[g] = kShapes[static_cast<size_t>(below(static_cast<int>(kShapes.size())))];
  for (int i = 0; i < size; ++i) {
    std::string pod = name + "-" + number(i);
    set("Pod/" + pod, pod_json(pod, name, gang_shapes_[g], "Pending"));
  }
}

// One of its pods finishes, changes its labels only, or asks for something else.
void RandomObjects::change_gang(int g) {
  if (!gang_sizes_.contains(g)) return add_gang(g);
  std::string name = "g" + number(g);
  std::string pod = name + "-" + number(below(gang_sizes_[g]));
  if (!objects_.contains("Pod/" + pod)) return;
  if (one_in(3)) return set("Pod/" + pod, pod_json(pod, name, gang_shapes_[g], "Succeeded"));
  std::string json = pod_json(pod, name, one_in(2) ? gang_shapes_[g] : R"("cpu":"2")", "Pending");
  size_t at = json.find(R"("labels":{)") + 10;
  json.insert(at, R"("version":")" + number(below(100)) + "\",");
  set("Pod/" + pod, std::move(json));
}

void RandomObjects::remove_gang(int g) {
  std::string name = "g" + number(g);
  // Sometimes the pods outlive what describes them.
  if (!one_in(4)) {
    for (int i = 0; i < gang_sizes_[g]; ++i) objects_.erase("Pod/" + name + "-" + number(i));
  }
  objects_.erase("PodGroup/" + name);
  gang_sizes_.erase(g);
}

void RandomObjects::add_lone_pod(int i) {
  std::string name = "lone-" + number(i);
  std::string json = pod_json(name, "", R"("cpu":"1")", one_in(2) ? "Pending" : "Running");
  // One that runs is on its way out, and comes back under its name.
  if (json.find("Running") != std::string::npos) {
    json.insert(json.find(R"("labels")"), R"("deletionTimestamp":"2026-01-01T00:00:00Z",)");
    json.insert(json.find(R"("containers")"), R"("nodeName":"n)" + number(below(kNodes)) + "\",");
  }
  set("Pod/" + name, std::move(json));
}

void RandomObjects::add_expanded(int i) {
  set("Job/j" + number(i),
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"default","name":"j)" +
          number(i) + R"("},"spec":{"parallelism":)" + number(1 + below(3)) +
          R"(,"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}}})");
}

void RandomObjects::step() {
  for (int changes = 1 + below(4); changes > 0; --changes) {
    int number_of_node = below(kNodes);
    switch (below(10)) {
      case 0:
        add_node(number_of_node);
        break;
      case 1:
        objects_.erase("Node/n" + number(number_of_node));
        break;
      case 2:
        remove_gang(below(kGangs));
        break;
      case 3:
        add_lone_pod(below(4));
        break;
      case 4:
        add_expanded(below(2));
        break;
      case 5:
        if (one_in(2)) objects_.erase("Job/j" + number(below(2)));
        if (one_in(6)) objects_.erase("Topology/hall");
        if (one_in(6)) objects_.erase("Queue/team");
        if (one_in(2)) objects_.erase("PodDisruptionBudget/one-stays");
        break;
      default:
        change_gang(below(kGangs));
    }
  }
}

void RandomObjects::write(TemporaryFolder& folder) {
  std::map<std::string, std::string> texts;
  for (int i = 0; i < kFiles; ++i) texts["f" + number(i) + ".jsonl"];
  for (const auto& [key, entry] : objects_) texts[entry.file] += entry.json + "\n";
  for (const auto& [file, text] : texts) {
    auto known = written_.find(file);
    if (known != written_.end() && known->second == text) continue;
    folder.write(file, text);
    written_[file] = text;
  }
}

}  // namespace trellis::test
