#include "session/cluster/pod_selectors.h"

#include <algorithm>

namespace trellis {

PodSelectors::Interned PodSelectors::intern(const PodSelector& selector) {
  auto [at, fresh] = ids_.try_emplace(selector, selectors_.next_id());
  PodSelectorId id = at->second;
  if (!fresh) return {id, false};
  selectors_.push_back(selector);
  reads_name_spaces_ = reads_name_spaces_ || !selector.name_space_labels.empty();
  auto lists_values = [](const Requirement& item) { return item.op == SelectorOp::In; };
  auto listed = std::find_if(selector.labels.begin(), selector.labels.end(), lists_values);
  if (listed == selector.labels.end()) {
    others_.push_back(id);
  } else {
    for (StrId value : listed->values) by_label_[{listed->key.value, value.value}].push_back(id);
  }
  return {id, true};
}

const Labels& PodSelectors::labels_of(StrId name_space, StringTable& strings) {
  auto [at, fresh] = name_spaces_.try_emplace(name_space.value);
  if (fresh) at->second = {{strings.intern("kubernetes.io/metadata.name"), name_space}};
  return at->second;
}

bool PodSelectors::selects(PodSelectorId id, const Pod& pod, StringTable& strings) {
  const Labels& labels = labels_of(pod.name_space, strings);
  return trellis::selects(selectors_[id], pod.name_space, labels, pod.labels, strings);
}

std::vector<PodSelectorId> PodSelectors::matching(const Pod& pod, StringTable& strings) {
  std::vector<PodSelectorId> matched;
  if (selectors_.empty()) return matched;
  auto try_all = [&](const std::vector<PodSelectorId>& ids) {
    for (PodSelectorId id : ids) {
      if (selects(id, pod, strings)) matched.push_back(id);
    }
  };
  for (const Label& label : pod.labels) {
    auto found = by_label_.find({label.key.value, label.value.value});
    if (found != by_label_.end()) try_all(found->second);
  }
  try_all(others_);
  std::sort(matched.begin(), matched.end());
  return matched;
}

bool PodSelectors::set_name_space(NameSpace name_space, StringTable& strings) {
  Label own{strings.intern("kubernetes.io/metadata.name"), name_space.name};
  Labels& labels = name_space.labels;
  auto at = std::lower_bound(labels.begin(), labels.end(), own,
                             [](const Label& a, const Label& b) { return a.key < b.key; });
  if (at == labels.end() || at->key != own.key) labels.insert(at, own);
  Labels& known = name_spaces_[name_space.name.value];
  if (known == labels) return false;
  known = std::move(labels);
  return reads_name_spaces_;
}

const Labels& PodSelectors::known_labels(StrId name_space) const {
  static const Labels kNone;
  auto found = name_spaces_.find(name_space.value);
  return found == name_spaces_.end() ? kNone : found->second;
}

std::vector<NameSpace> PodSelectors::name_spaces() const {
  std::vector<NameSpace> known;
  known.reserve(name_spaces_.size());
  for (const auto& [name, labels] : name_spaces_) known.push_back({StrId(name), labels});
  std::ranges::sort(known, {}, [](const NameSpace& one) { return one.name.value; });
  return known;
}

}  // namespace trellis
