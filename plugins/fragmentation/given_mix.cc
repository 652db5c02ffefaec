#include "plugins/fragmentation/given_mix.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace trellis {
namespace {

constexpr int64_t kMostPods = 1'000'000'000;
constexpr int64_t kMostGpus = 1'000;
constexpr int64_t kMostAmount = int64_t{1} << 40;  // milli CPUs, MiB
constexpr int64_t kMiB = int64_t{1} << 20;

// What the configuration says of one row.
class Row {
 public:
  Row(const PluginConfig& config, size_t index)
      : config_(config), at_("mix[" + std::to_string(index) + "].") {}

  bool exists() const {
    auto first = config_.arguments.lower_bound(at_);
    return first != config_.arguments.end() && first->first.starts_with(at_);
  }
  int64_t number(const char* key, int64_t otherwise, int64_t most) const {
    std::string text = config_.argument(at_ + key);
    if (text.empty()) return otherwise;
    int64_t value = most;  // a number that is too long
    std::from_chars(text.data(), text.data() + text.size(), value);
    return std::clamp<int64_t>(value, 0, most);
  }
  GpuModels models(GpuModelBits& bits) const {
    std::string text = config_.argument(at_ + "models");
    std::string_view rest = text;
    GpuModels models = 0;
    while (!rest.empty()) {
      std::string_view name = rest.substr(0, rest.find(','));
      if (!name.empty()) models |= GpuModels{1} << bits.bit(name);
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
    return models == 0 ? kAnyModel : models;
  }

 private:
  const PluginConfig& config_;
  std::string at_;
};

TypicalPod pod_of(const Row& row, GpuModelBits& models) {
  TypicalPod pod;
  pod.part = static_cast<double>(row.number("pods", 1, kMostPods));
  pod.shape.cpu_milli = row.number("cpuMilli", 0, kMostAmount);
  pod.shape.memory_bytes = row.number("memoryMiB", 0, kMostAmount) * kMiB;
  pod.shape.devices = static_cast<int32_t>(row.number("gpus", 1, kMostGpus));
  int64_t portion = row.number("gpuMilli", kMilli, kMilli);
  pod.shape.portion = static_cast<int32_t>(std::max<int64_t>(1, portion));
  if (pod.shape.devices > 0) pod.shape.models = row.models(models);
  return pod;
}

}  // namespace

bool has_given_mix(const PluginConfig& config) { return Row(config, 0).exists(); }

std::vector<TypicalPod> given_mix(const PluginConfig& config, GpuModelBits& models) {
  std::vector<TypicalPod> pods;
  double sum = 0;
  for (size_t i = 0; Row(config, i).exists(); ++i) {
    pods.push_back(pod_of(Row(config, i), models));
    sum += pods.back().part;
  }
  if (sum <= 0) return {};
  for (TypicalPod& pod : pods) pod.part /= sum;
  return pods;
}

}  // namespace trellis
