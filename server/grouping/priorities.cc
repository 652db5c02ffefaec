#include "server/grouping/priorities.h"

#include <algorithm>
#include <array>

#include "framework/gang.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr std::array<std::pair<std::string_view, int32_t>, 6> kBuiltIn = {{
    {"train", 50},
    {"build-preemptible", 75},
    {"build", 100},
    {"inference", 125},
    {"system-cluster-critical", 2'000'000'000},
    {"system-node-critical", 2'000'001'000},
}};

}  // namespace

Priorities::Priorities(const std::vector<PriorityClassRecord>& classes,
                       const Vocabulary& vocabulary)
    : strings_(vocabulary.strings), otherwise_(kDefaultPriority) {
  for (const PriorityClassRecord& record : classes) {
    classes_.emplace_back(record.meta.key.name, record.value);
    if (!record.moves_others) never_.push_back(record.meta.key.name);
    if (!record.global_default) continue;
    // Kubernetes takes the lowest of several defaults.
    if (!default_ || record.value < *default_) {
      default_ = otherwise_ = record.value;
      moves_otherwise_ = record.moves_others;
    }
  }
  std::sort(classes_.begin(), classes_.end());
  std::sort(never_.begin(), never_.end());
}

std::optional<int32_t> Priorities::find(StrId name) const {
  if (!name.valid()) return std::nullopt;
  auto at = std::lower_bound(classes_.begin(), classes_.end(), std::pair(name, INT32_MIN));
  if (at != classes_.end() && at->first == name) return at->second;
  std::string_view word = strings_.view(name);
  for (const auto& [known, value] : kBuiltIn) {
    if (known == word) return value;
  }
  return std::nullopt;
}

std::optional<int32_t> Priorities::of_pod(const PodRecord& pod) const {
  bool by_default = pod.priority == 0 && !pod.priority_class.valid() && !default_;
  return by_default ? std::nullopt : pod.priority;
}

bool Priorities::moves_others(StrId name) const {
  if (!find(name)) return moves_otherwise_;
  return !std::binary_search(never_.begin(), never_.end(), name);
}

std::string Priorities::nearest(std::string_view word) const {
  std::vector<std::string_view> words;
  for (const auto& known : kBuiltIn) words.push_back(known.first);
  for (const auto& known : classes_) words.push_back(strings_.view(known.first));
  return nearest_word(word, words);
}

}  // namespace trellis
