// The naive model of terms between pods: maps, copies and strings; a transcription of what
// Kubernetes' InterPodAffinity and PodTopologySpread say, rule by rule, for one pod and a list of
// pods that stand somewhere.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/node_state.h"
#include "framework/presence.h"
#include "framework/reason.h"
#include "framework/selectors.h"

namespace trellis::oracle {

using Words = std::map<std::string, std::string>;

struct ModelRequirement {
  std::string key;
  SelectorOp op = SelectorOp::In;
  std::vector<std::string> values;
};
using ModelRequirements = std::vector<ModelRequirement>;

struct ModelSelector {
  bool given = true;  // false: no labelSelector at all
  ModelRequirements labels;
};

struct ModelTerm {
  ModelSelector pods;
  std::vector<std::string> name_spaces;
  bool name_space_selector_given = false;
  ModelRequirements name_space_labels;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;
  std::string key;
  int weight = 1;  // of a preferred term
};

struct ModelSpread {
  ModelSelector pods;
  std::vector<std::string> match_label_keys;
  std::string key;
  int max_skew = 1;
  int min_domains = 1;
  bool required = true;
  bool honors_affinity = true;
  bool honors_taints = false;
};

struct ModelPod {
  std::string name;
  std::string name_space;
  Words labels;
  Words node_selector;
  bool tolerates_all = false;
  int cpu = 1;
  std::vector<ModelTerm> affinity, anti_affinity, preferred, preferred_anti;
  std::vector<ModelSpread> spread;
  // Where it stands; "" nowhere.
  std::string node;
  Presence presence = Presence::Stays;
};

struct ModelNode {
  std::string name;
  Words labels;
  bool tainted = false;  // NoSchedule
  int cpu = 100;
};

struct ModelWorld {
  std::vector<ModelNode> nodes;
  std::map<std::string, Words> name_spaces;  // those with an object
  std::vector<ModelPod> pods;

  const ModelNode& node(const std::string& name) const;

  // Every rule that refuses the node.
  std::set<ReasonCode> refusals(const ModelPod& pod, const ModelNode& node, FitMode mode) const;
  // nodeSelector, taints and CPU.
  bool has_room(const ModelPod& pod, const ModelNode& node) const;
  // Kubernetes' whole scores, 0 to 100, of nodes that can take the pod.
  std::map<std::string, int64_t> affinity_scores(const ModelPod& pod,
                                                 const std::vector<std::string>& open,
                                                 FitMode mode) const;
  std::map<std::string, int64_t> spread_scores(const ModelPod& pod,
                                               const std::vector<std::string>& open) const;

 private:
  Words labels_of(const std::string& name_space) const;
  bool means(const ModelTerm& term, const ModelPod& owner, const ModelPod& other) const;
  bool means(const ModelSpread& constraint, const ModelPod& owner, const ModelPod& other) const;
  bool eligible(const ModelSpread& constraint, bool required, const ModelPod& pod,
                const ModelNode& node) const;
  int64_t count(const ModelSpread& constraint, const ModelPod& pod, const ModelNode& node) const;
  void spread_refusals(const ModelPod& pod, const ModelNode& node,
                       std::set<ReasonCode>& refusals) const;
  void affinity_refusals(const ModelPod& pod, const ModelNode& node, FitMode mode,
                         std::set<ReasonCode>& refusals) const;
};

}  // namespace trellis::oracle
