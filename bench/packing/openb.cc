#include "bench/packing/openb.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace trellis::bench {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr const char* kModelLabel = "nvidia.com/gpu.product";

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The rows below the head, each with at least `fields` fields.
std::vector<std::vector<std::string>> read_rows(const std::string& path, size_t fields) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string>& row = rows.emplace_back(parts_of(line, ','));
    row.resize(std::max(fields, row.size()));
  }
  return rows;
}

int64_t number(const std::string& text) { return text.empty() ? 0 : std::stoll(text); }

}  // namespace

std::vector<OpenbNode> read_openb_nodes(const std::string& folder) {
  std::vector<OpenbNode> nodes;
  for (const auto& row : read_rows(folder + "/openb_node_list_gpu_node.csv", 5)) {
    nodes.push_back({row[0], number(row[1]), number(row[2]), number(row[3]), row[4], {}});
  }
  return nodes;
}

std::vector<OpenbPod> read_openb_pods(const std::string& folder, const std::string& list) {
  std::vector<OpenbPod> pods;
  for (const auto& row : read_rows(folder + "/openb_pod_list_" + list + ".csv", 6)) {
    OpenbPod& pod = pods.emplace_back();
    pod.cpu_milli = number(row[1]);
    pod.memory_mib = number(row[2]);
    int64_t gpus = number(row[3]);
    pod.gpu_milli = gpus == 1 ? number(row[4]) : gpus * kMilli;
    if (gpus > 0 && !row[5].empty()) pod.models = parts_of(row[5], '|');
  }
  return pods;
}

Node node_record(const OpenbNode& node, Vocabulary& vocabulary) {
  Node record;
  record.name = node.name;
  record.allocatable.set(kCpu, node.cpu_milli);
  record.allocatable.set(kMemory, node.memory_mib * kMiB);
  record.allocatable.set(kPods, 110);
  record.allocatable.set(kGpu, node.gpus * kMilli);
  StringTable& strings = vocabulary.strings;
  record.labels = {{strings.intern(kModelLabel), strings.intern(node.model)}};
  for (const auto& [key, value] : node.labels) {
    record.labels.emplace_back(strings.intern(key), strings.intern(value));
  }
  std::sort(record.labels.begin(), record.labels.end());
  return record;
}

PodSpec pod_spec(const OpenbPod& pod, Vocabulary& vocabulary) {
  PodSpec spec;
  spec.requests.set(kCpu, pod.cpu_milli);
  spec.requests.set(kMemory, pod.memory_mib * kMiB);
  spec.requests.set(kPods, 1);
  bool shares = pod.gpu_milli > 0 && pod.gpu_milli < kMilli;
  if (shares) {
    spec.gpu_share.portion_milli = static_cast<int32_t>(pod.gpu_milli);
  } else {
    spec.requests.set(kGpu, pod.gpu_milli);
  }
  if (!pod.models.empty()) {
    StringTable& strings = vocabulary.strings;
    Requirement models{strings.intern(kModelLabel), SelectorOp::In, {}};
    for (const std::string& model : pod.models) models.values.push_back(strings.intern(model));
    spec.required_affinity.push_back({{std::move(models)}, {}});
    spec.has_required_affinity = true;
  }
  return spec;
}

}  // namespace trellis::bench
