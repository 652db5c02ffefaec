#include "tests/oracle/naive_model.h"

#include <algorithm>
#include <functional>
#include <set>

namespace trellis::oracle {
namespace {

const std::string kGpus = "nvidia.com/gpu";

bool runs(PodStatus status) { return status == PodStatus::Bound || status == PodStatus::Running; }

int64_t get(const Amounts& amounts, const std::string& name) {
  auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

}  // namespace

void NaiveModel::refresh() {
  for (auto& [name, node] : nodes) {
    node.now = node.future = capacity(node.args);
    node.device_now.assign(static_cast<size_t>(node.args.gpu), 1000);
    node.device_future = node.device_now;
  }
  for (auto& [name, pod] : pods) {
    pod.status = pod.args.status;
    pod.node = pod.args.node;
    pod.devices.clear();
    auto node = nodes.find(pod.node);
    if (node == nodes.end()) continue;
    bool leaves = pod.status == PodStatus::Releasing;
    if (!runs(pod.status) && !leaves) continue;
    for (const auto& [resource, amount] : requests(pod.args)) {
      node->second.now[resource] -= amount;
      if (!leaves) node->second.future[resource] -= amount;
    }
  }
  for (const auto& [name, node] : nodes) give_devices(name);
}

// Pods that name their devices first; a name that is no number of a device of the node, or one that
// is taken, stands for the first device that is free. The others: the first where they fit.
void NaiveModel::give_devices(const std::string& name) {
  NaiveNode& node = nodes.at(name);
  std::vector<NaivePod*> sharing;
  std::map<std::string, int> groups;
  for (auto& [pod_name, pod] : pods) {
    bool here = pod.node == name && (runs(pod.status) || pod.status == PodStatus::Releasing);
    if (!here || !shares(pod.args)) continue;
    sharing.push_back(&pod);
    for (const std::string& group : pod.args.gpu_groups) groups[group] = -1;
  }
  std::set<int> used;
  int count = static_cast<int>(node.args.gpu);
  for (auto& [group, device] : groups) {
    int wanted = group.find_first_not_of("0123456789") == std::string::npos ? std::stoi(group) : -1;
    if (wanted < 0 || wanted >= count || used.contains(wanted)) {
      wanted = 0;
      while (used.contains(wanted)) ++wanted;
    }
    device = wanted;
    if (wanted < count) used.insert(wanted);
  }
  std::stable_partition(sharing.begin(), sharing.end(),
                        [](const NaivePod* pod) { return !pod->args.gpu_groups.empty(); });
  for (NaivePod* pod : sharing) {
    pod->portion = portion(pod->args, node.args);
    auto take = [&](int device) {
      if (device >= count) return;
      size_t at = static_cast<size_t>(device);
      node.device_now[at] -= pod->portion;
      if (pod->status != PodStatus::Releasing) node.device_future[at] -= pod->portion;
      pod->devices.push_back(device);
    };
    for (const std::string& group : pod->args.gpu_groups) take(groups[group]);
    if (!pod->args.gpu_groups.empty()) continue;
    for (int device = 0; device < count; ++device) {
      if (static_cast<int>(pod->devices.size()) == pod->args.share.devices) break;
      if (node.device_now[static_cast<size_t>(device)] >= pod->portion) take(device);
    }
  }
  for (int64_t left : node.device_now) node.now[kGpus] -= left < 1000 ? 1000 : 0;
  for (int64_t left : node.device_future) node.future[kGpus] -= left < 1000 ? 1000 : 0;
}

bool NaiveModel::ports_free(const PodArgs& pod, const std::string& node) const {
  for (const auto& [name, other] : pods) {
    bool there =
        other.node == node && (runs(other.status) || other.status == PodStatus::Pipelined ||
                               other.status == PodStatus::Releasing);
    if (!there) continue;
    for (const PortArgs& used : other.args.ports) {
      for (const PortArgs& port : pod.ports) {
        if (clash(port, used)) return false;
      }
    }
  }
  return true;
}

// Pod after pod takes one part of each of the devices that have most parts left.
int NaiveModel::device_fit(const PodArgs& pod, const NaiveNode& node, FitMode mode) const {
  int64_t each = portion(pod, node.args);
  if (each <= 0 || each > 1000) return 0;
  if (get(mode == FitMode::Now ? node.now : node.future, kGpus) < 0) return 0;
  const std::vector<int64_t>& left = mode == FitMode::Now ? node.device_now : node.device_future;
  std::vector<int64_t> parts;          // of devices that are shared
  std::vector<int64_t> closed;         // of devices that can be opened now and in future
  std::vector<int64_t> closed_future;  // of devices that leaving pods still share
  for (size_t i = 0; i < left.size(); ++i) {
    int64_t count = std::max<int64_t>(0, left[i]) / each;
    if (node.device_future[i] < 1000) {
      parts.push_back(count);
    } else if (mode == FitMode::Future || left[i] == 1000) {
      closed.push_back(count);
    } else {
      closed_future.push_back(count);
    }
  }
  int64_t openings = std::max<int64_t>(0, get(node.future, kGpus) / 1000);
  int64_t openings_now = std::max<int64_t>(0, get(node.now, kGpus) / 1000);
  size_t opened = static_cast<size_t>(mode == FitMode::Future ? openings : openings_now);
  closed.resize(std::min(closed.size(), opened));
  std::sort(closed_future.rbegin(), closed_future.rend());
  closed.insert(closed.end(), closed_future.begin(), closed_future.end());
  closed.resize(std::min(closed.size(), static_cast<size_t>(openings)));
  parts.insert(parts.end(), closed.begin(), closed.end());

  size_t wanted = static_cast<size_t>(pod.share.devices);
  if (parts.size() < wanted) return 0;
  int count = 0;
  while (true) {
    std::sort(parts.rbegin(), parts.rend());
    if (parts[wanted - 1] == 0) return count;
    for (size_t i = 0; i < wanted; ++i) --parts[i];
    ++count;
  }
}

int NaiveModel::fit(const PodArgs& pod, const std::string& name, FitMode mode) const {
  const NaiveNode& node = nodes.at(name);
  if (!admits(name, node.args, pod) || !ports_free(pod, name)) return 0;
  int64_t count = pod.ports.empty() ? 1 << 20 : 1;
  for (const auto& [resource, amount] : requests(pod)) {
    int64_t free = get(mode == FitMode::Now ? node.now : node.future, resource);
    count = std::min(count, std::max<int64_t>(0, free) / amount);
  }
  if (shares(pod) && count > 0) count = std::min<int64_t>(count, device_fit(pod, node, mode));
  return static_cast<int>(count);
}

NaiveGang NaiveModel::count(const std::string& gang) const {
  NaiveGang counts;
  for (const auto& [name, pod] : pods) {
    if (pod.gang != gang) continue;
    if (runs(pod.status) || pod.status == PodStatus::Pipelined ||
        pod.status == PodStatus::Succeeded) {
      ++counts.placed;
    }
    if (pod.status == PodStatus::Pending && pod.args.hold == PodHold::None) ++counts.waiting;
  }
  return counts;
}

void NaiveModel::place(const std::string& name, const std::string& where, FitMode mode,
                       const std::vector<int>& devices) {
  NaivePod& pod = pods.at(name);
  NaiveNode& node = nodes.at(where);
  bool now = mode == FitMode::Now;
  // What is promised beyond what leaves is no longer free now either.
  auto cap = [&](const std::string& resource) {
    node.now[resource] = std::min(node.now[resource], node.future[resource]);
  };
  for (const auto& [resource, amount] : requests(pod.args)) {
    node.future[resource] -= amount;
    if (now) node.now[resource] -= amount;
    cap(resource);
  }
  pod.portion = portion(pod.args, node.args);
  pod.devices = devices;
  for (int device : devices) {
    int64_t& left_now = node.device_now[static_cast<size_t>(device)];
    int64_t& left = node.device_future[static_cast<size_t>(device)];
    bool opens = left == 1000;
    bool opens_now = left_now == 1000;
    bool some_leave = node.future[kGpus] - node.now[kGpus] >= 1000;
    left -= pod.portion;
    if (opens) node.future[kGpus] -= 1000;
    if (now) {
      left_now -= pod.portion;
      if (opens_now) node.now[kGpus] -= 1000;
    } else if (opens && opens_now && some_leave) {
      left_now = 0;  // the device is one that a leaving pod holds whole
    } else if (left_now > left) {
      left_now = left;
      if (opens_now) node.now[kGpus] -= 1000;
    }
  }
  if (!devices.empty()) cap(kGpus);
  pod.status = now ? PodStatus::Bound : PodStatus::Pipelined;
  pod.node = where;
}

void NaiveModel::evict(const std::string& name) {
  NaivePod& pod = pods.at(name);
  NaiveNode& node = nodes.at(pod.node);
  for (const auto& [resource, amount] : requests(pod.args)) node.future[resource] += amount;
  for (int device : pod.devices) {
    int64_t& left = node.device_future[static_cast<size_t>(device)];
    left += pod.portion;
    if (left == 1000 && pod.portion > 0) node.future[kGpus] += 1000;
  }
  pod.status = PodStatus::Evicted;
}

}  // namespace trellis::oracle
