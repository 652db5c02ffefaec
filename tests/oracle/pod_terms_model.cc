#include "tests/oracle/pod_terms_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trellis::oracle {
namespace {

bool meets(const ModelRequirements& requirements, const Words& labels) {
  for (const ModelRequirement& item : requirements) {
    auto found = labels.find(item.key);
    bool has = found != labels.end();
    bool listed = has && std::count(item.values.begin(), item.values.end(), found->second) > 0;
    if (item.op == SelectorOp::In && !listed) return false;
    if (item.op == SelectorOp::NotIn && listed) return false;
    if (item.op == SelectorOp::Exists && !has) return false;
    if (item.op == SelectorOp::DoesNotExist && has) return false;
  }
  return true;
}

// The selector with the owner's own values of the keys.
ModelRequirements with_keys(ModelRequirements requirements, const std::vector<std::string>& keys,
                            SelectorOp op, const ModelPod& owner) {
  for (const std::string& key : keys) {
    auto own = owner.labels.find(key);
    if (own != owner.labels.end()) requirements.push_back({key, op, {own->second}});
  }
  return requirements;
}

bool in_the_way(const ModelPod& pod, FitMode mode) {
  return !pod.node.empty() && (mode == FitMode::Now || pod.presence != Presence::Leaves);
}

bool keeps_company(const ModelPod& pod, FitMode mode) {
  if (pod.node.empty()) return false;
  if (pod.presence == Presence::Stays) return true;
  return (pod.presence == Presence::Leaves) == (mode == FitMode::Now);
}

// Both nodes have the key, with one value.
bool together(const std::string& key, const ModelNode& a, const ModelNode& b) {
  return a.labels.contains(key) && b.labels.contains(key) && a.labels.at(key) == b.labels.at(key);
}

}  // namespace

const ModelNode& ModelWorld::node(const std::string& name) const {
  return *std::find_if(nodes.begin(), nodes.end(),
                       [&](const ModelNode& node) { return node.name == name; });
}

Words ModelWorld::labels_of(const std::string& name_space) const {
  Words labels;
  if (auto found = name_spaces.find(name_space); found != name_spaces.end()) {
    labels = found->second;
  }
  labels["kubernetes.io/metadata.name"] = name_space;
  return labels;
}

bool ModelWorld::means(const ModelTerm& term, const ModelPod& owner, const ModelPod& other) const {
  bool listed = std::count(term.name_spaces.begin(), term.name_spaces.end(), other.name_space) > 0;
  bool chosen =
      term.name_space_selector_given && meets(term.name_space_labels, labels_of(other.name_space));
  bool own = term.name_spaces.empty() && !term.name_space_selector_given &&
             other.name_space == owner.name_space;
  if (!term.pods.given || !(listed || chosen || own)) return false;
  ModelRequirements all = with_keys(term.pods.labels, term.match_label_keys, SelectorOp::In, owner);
  all = with_keys(all, term.mismatch_label_keys, SelectorOp::NotIn, owner);
  return meets(all, other.labels);
}

bool ModelWorld::means(const ModelSpread& constraint, const ModelPod& owner,
                       const ModelPod& other) const {
  if (!constraint.pods.given || other.name_space != owner.name_space) return false;
  return meets(
      with_keys(constraint.pods.labels, constraint.match_label_keys, SelectorOp::In, owner),
      other.labels);
}

void ModelWorld::affinity_refusals(const ModelPod& pod, const ModelNode& target, FitMode mode,
                                   std::set<ReasonCode>& refusals) const {
  // Counts of pods that meet all the terms, by key and value.
  auto meets_all = [&](const ModelPod& other) {
    return std::all_of(pod.affinity.begin(), pod.affinity.end(),
                       [&](const ModelTerm& term) { return means(term, pod, other); });
  };
  std::map<std::pair<std::string, std::string>, int> company;
  for (const ModelPod& other : pods) {
    if (pod.affinity.empty() || !keeps_company(other, mode) || !meets_all(other)) continue;
    for (const ModelTerm& term : pod.affinity) {
      const Words& labels = node(other.node).labels;
      if (labels.contains(term.key)) ++company[{term.key, labels.at(term.key)}];
    }
  }
  bool all_keys = true;
  bool all_have = true;
  for (const ModelTerm& term : pod.affinity) {
    bool has_key = target.labels.contains(term.key);
    all_keys = all_keys && has_key;
    all_have = all_have && has_key && company.contains({term.key, target.labels.at(term.key)});
  }
  bool first = company.empty() && meets_all(pod);
  if (!all_keys || (!all_have && !first)) refusals.insert(ReasonCode::PodAffinityMismatch);

  for (const ModelPod& other : pods) {
    if (!in_the_way(other, mode)) continue;
    const ModelNode& there = node(other.node);
    for (const ModelTerm& term : pod.anti_affinity) {
      if (means(term, pod, other) && together(term.key, target, there)) {
        refusals.insert(ReasonCode::PodAntiAffinityConflict);
      }
    }
    for (const ModelTerm& term : other.anti_affinity) {
      if (means(term, other, pod) && together(term.key, target, there)) {
        refusals.insert(ReasonCode::ExistingPodAntiAffinity);
      }
    }
  }
}

bool ModelWorld::eligible(const ModelSpread& constraint, bool required, const ModelPod& pod,
                          const ModelNode& there) const {
  for (const ModelSpread& other : pod.spread) {
    if (other.required == required && !there.labels.contains(other.key)) return false;
  }
  if (constraint.honors_affinity) {
    for (const auto& [key, value] : pod.node_selector) {
      if (!there.labels.contains(key) || there.labels.at(key) != value) return false;
    }
  }
  return !constraint.honors_taints || !there.tainted || pod.tolerates_all;
}

// Pods on the node that the constraint counts; an empty selector counts none.
int64_t ModelWorld::count(const ModelSpread& constraint, const ModelPod& pod,
                          const ModelNode& there) const {
  ModelRequirements all =
      with_keys(constraint.pods.labels, constraint.match_label_keys, SelectorOp::In, pod);
  if (constraint.pods.given && all.empty()) return 0;
  return std::count_if(pods.begin(), pods.end(), [&](const ModelPod& other) {
    return other.node == there.name && other.presence != Presence::Leaves &&
           means(constraint, pod, other);
  });
}

void ModelWorld::spread_refusals(const ModelPod& pod, const ModelNode& target,
                                 std::set<ReasonCode>& refusals) const {
  for (const ModelSpread& constraint : pod.spread) {
    if (!constraint.required) continue;
    if (!target.labels.contains(constraint.key)) {
      refusals.insert(ReasonCode::TopologySpreadLabelMissing);
      continue;
    }
    std::map<std::string, int64_t> domains;
    for (const ModelNode& there : nodes) {
      if (!eligible(constraint, true, pod, there)) continue;
      domains[there.labels.at(constraint.key)] += count(constraint, pod, there);
    }
    int64_t least = std::numeric_limits<int32_t>::max();
    for (const auto& [value, pods_there] : domains) least = std::min(least, pods_there);
    if (static_cast<int64_t>(domains.size()) < constraint.min_domains) least = 0;
    auto here = domains.find(target.labels.at(constraint.key));
    int64_t matching = here == domains.end() ? 0 : here->second;
    int64_t itself = means(constraint, pod, pod) ? 1 : 0;
    if (matching + itself - least > constraint.max_skew) {
      refusals.insert(ReasonCode::TopologySpreadSkew);
    }
  }
}

std::set<ReasonCode> ModelWorld::refusals(const ModelPod& pod, const ModelNode& target,
                                          FitMode mode) const {
  std::set<ReasonCode> refusals;
  affinity_refusals(pod, target, mode, refusals);
  spread_refusals(pod, target, refusals);
  return refusals;
}

bool ModelWorld::has_room(const ModelPod& pod, const ModelNode& target) const {
  for (const auto& [key, value] : pod.node_selector) {
    if (!target.labels.contains(key) || target.labels.at(key) != value) return false;
  }
  if (target.tainted && !pod.tolerates_all) return false;
  int used = 0;
  for (const ModelPod& other : pods) used += other.node == target.name ? other.cpu : 0;
  return used + pod.cpu <= target.cpu;
}

std::map<std::string, int64_t> ModelWorld::affinity_scores(const ModelPod& pod,
                                                           const std::vector<std::string>& open,
                                                           FitMode mode) const {
  std::map<std::pair<std::string, std::string>, int64_t> topology;
  auto add = [&](const ModelTerm& term, const ModelNode& there, int64_t weight) {
    if (there.labels.contains(term.key)) topology[{term.key, there.labels.at(term.key)}] += weight;
  };
  for (const ModelPod& other : pods) {
    if (!in_the_way(other, mode)) continue;
    const ModelNode& there = node(other.node);
    for (const ModelTerm& term : pod.preferred) {
      if (means(term, pod, other)) add(term, there, term.weight);
    }
    for (const ModelTerm& term : pod.preferred_anti) {
      if (means(term, pod, other)) add(term, there, -term.weight);
    }
    for (const ModelTerm& term : other.affinity) {
      if (means(term, other, pod)) add(term, there, 1);
    }
    for (const ModelTerm& term : other.preferred) {
      if (means(term, other, pod)) add(term, there, term.weight);
    }
    for (const ModelTerm& term : other.preferred_anti) {
      if (means(term, other, pod)) add(term, there, -term.weight);
    }
  }
  std::map<std::string, int64_t> scores;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = std::numeric_limits<int64_t>::min();
  for (const std::string& name : open) {
    int64_t score = 0;
    for (const auto& [pair, weight] : topology) {
      const Words& labels = node(name).labels;
      if (labels.contains(pair.first) && labels.at(pair.first) == pair.second) score += weight;
    }
    scores[name] = score;
    least = std::min(least, score);
    most = std::max(most, score);
  }
  for (auto& [name, score] : scores) {
    double share = 0;
    if (most > least) {
      share = 100.0 * (static_cast<double>(score - least) / static_cast<double>(most - least));
    }
    score = static_cast<int64_t>(share);
  }
  return scores;
}

std::map<std::string, int64_t> ModelWorld::spread_scores(
    const ModelPod& pod, const std::vector<std::string>& open) const {
  std::vector<ModelSpread> soft;
  for (const ModelSpread& constraint : pod.spread) {
    if (!constraint.required) soft.push_back(constraint);
  }
  std::map<std::string, int64_t> scores;
  for (const std::string& name : open) scores[name] = 0;
  if (soft.empty()) return scores;
  auto ignored = [&](const std::string& name) {
    return std::any_of(soft.begin(), soft.end(), [&](const ModelSpread& constraint) {
      return !node(name).labels.contains(constraint.key);
    });
  };
  std::map<std::string, int64_t> raw;
  for (const std::string& name : open) {
    if (ignored(name)) continue;
    double sum = 0;
    for (const ModelSpread& constraint : soft) {
      bool by_node = constraint.key == "kubernetes.io/hostname";
      std::set<std::string> values;
      int64_t judged = 0;
      for (const std::string& other : open) {
        if (ignored(other)) continue;
        ++judged;
        values.insert(node(other).labels.at(constraint.key));
      }
      int64_t size = by_node ? judged : static_cast<int64_t>(values.size());
      int64_t pods_there = 0;
      for (const ModelNode& there : nodes) {
        bool counts = by_node ? there.name == name
                              : together(constraint.key, there, node(name)) &&
                                    eligible(constraint, false, pod, there);
        if (counts) pods_there += count(constraint, pod, there);
      }
      sum += static_cast<double>(pods_there) * std::log(static_cast<double>(size + 2)) +
             static_cast<double>(constraint.max_skew - 1);
    }
    raw[name] = std::llround(sum);
  }
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (const auto& [name, score] : raw) {
    least = std::min(least, score);
    most = std::max(most, score);
  }
  for (const auto& [name, score] : raw) {
    scores[name] = most == 0 ? 100 : 100 * (most + least - score) / most;
  }
  return scores;
}

}  // namespace trellis::oracle
