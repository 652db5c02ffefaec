// labelscore: scores nodes by rules of the configuration: by a label, by a number in an annotation,
// or by a number in a local file (power, price, temperature, link errors).
//
// A rule has one source (`label`, `annotation` or `file`) and one measure:
//   value: TEXT             a node whose label has this value scores 100, every other 0
//   worst: A, best: B       100 * (number - A) / (B - A), at least 0 and at most 100; 0 where the
//                           node has no number. A may be above or below B.
// A node's score is the mean over the rules, by their `weight`. It is above that of packing, and
// below node affinity.
//
// Cost: O(rules) for each node that is scored, and one search in a map for each rule with a file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/plugin.h"

namespace trellis {

inline constexpr std::string_view kLabelScoreArguments[] = {
    "scores[].label",         "scores[].annotation",   "scores[].file",           "scores[].value",
    "scores[].worst=decimal", "scores[].best=decimal", "scores[].weight=decimal",
};

class LabelScore : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "labelscore"; }
  void open(const View& view, Hooks& hooks) override;
  bool distinguishes(PodClassId, FitMode) const override { return true; }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

 private:
  struct Rule {
    StrId label;  // kNone: not by a label, or by one that no node has
    StrId annotation;
    const std::map<std::string, double>* file = nullptr;  // by node
    std::string value;
    double worst = 0;
    double best = 0;  // equal to worst: by `value`
    double weight = 1;
  };

  Rule rule(const PluginConfig& config, const std::string& at) const;
  double score_of(const Rule& rule, const Node& node) const;

  const View* view_ = nullptr;
  std::vector<Rule> rules_;  // their weights add up to 1
};

}  // namespace trellis
