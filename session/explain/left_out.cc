#include "session/explain/left_out.h"

#include <algorithm>
#include <tuple>

namespace trellis {

bool is_of_room(ReasonCode code) {
  return code == ReasonCode::InsufficientResource || code == ReasonCode::TooManyPods;
}

LeftOutNodes::LeftOutNodes(Session& session, PodClassId pod_class, FitMode mode)
    : session_(session), pod_class_(pod_class), mode_(mode) {
  find_causes();
}

LeftOutNodes::LeftOutNodes(Session& session, const FlavoredPodSet& set, FitMode mode)
    : session_(session), pod_class_(set.pod_class), set_(&set), mode_(mode) {
  find_causes();
}

void LeftOutNodes::find_causes() {
  fits_ = session_.fits().node_fits(pod_class_, mode_);
  cause_.assign(fits_.size(), kNoCause);
  for (NodeId node : session_.snapshot().all_nodes().node_order()) {
    Cause cause = cause_of(node);
    if (cause.verdict.code == ReasonCode::None) continue;
    fits_[node] = 0;
    cause_[node] = keep(cause);
  }
}

LeftOutNodes::Cause LeftOutNodes::cause_of(NodeId node) const {
  if (set_ != nullptr) {
    Cause cause = cause_in_flavor(node);
    if (cause.verdict.code != ReasonCode::None) return cause;
  }
  bool takes = fits_[node] > 0 && session_.fits().exact(pod_class_);
  return takes ? Cause() : Cause{node_verdict(session_, pod_class_, mode_, node), StrId()};
}

LeftOutNodes::Cause LeftOutNodes::cause_in_flavor(NodeId node) const {
  const Cluster& cluster = session_.cluster();
  if (!bears(cluster.nodes()[node], cluster.workloads().flavors()[set_->flavor])) {
    return {{ReasonCode::NodeNotOfFlavor, ResourceId(), {}}, StrId()};
  }
  const TopologyTree& tree = session_.snapshot().trees()[set_->topology];
  if (!tree.incomplete(node)) return {};
  // The class requires the labels of all levels, as an affinity.
  ReasonCode refusal = session_.fits().class_verdict(pod_class_, node);
  bool refused = refusal != ReasonCode::None && refusal != ReasonCode::NodeAffinityMismatch &&
                 refusal != ReasonCode::LevelLabelMissing;
  if (refused) return {};
  auto level = static_cast<size_t>(tree.level_of(tree.domain_of(node)) + 1);
  return {{ReasonCode::LevelLabelMissing, ResourceId(), "topology"},
          cluster.topologies()[set_->topology].levels[level].label};
}

size_t LeftOutNodes::keep(const Cause& cause) {
  auto at = std::find(causes_.begin(), causes_.end(), cause);
  if (at == causes_.end()) at = causes_.insert(at, cause);
  return static_cast<size_t>(at - causes_.begin());
}

bool LeftOutNodes::is_usable(NodeId node) const {
  return cause_[node] == kNoCause || is_of_room(causes_[cause_[node]].verdict.code);
}

std::vector<LeftOut> LeftOutNodes::among(std::span<const NodeId> nodes) const {
  std::vector<LeftOut> counts(causes_.size());
  for (NodeId node : nodes) {
    if (cause_[node] == kNoCause) continue;
    VerdictCount& count = counts[cause_[node]].count;
    if (count.nodes++ == 0) count.example = node;
  }
  for (size_t i = 0; i < causes_.size(); ++i) {
    const NodeVerdict& verdict = causes_[i].verdict;
    counts[i].label = causes_[i].label;
    counts[i].count.code = verdict.code;
    counts[i].count.resource = verdict.resource;
    counts[i].count.plugin = verdict.plugin;
  }
  std::erase_if(counts, [](const LeftOut& left) { return left.count.nodes == 0; });
  const Vocabulary& words = session_.cluster().vocabulary();
  auto key = [&](const LeftOut& left) {
    ResourceId resource = left.count.resource;
    return std::tuple(-left.count.nodes, left.count.code,
                      resource.valid() ? std::string_view(words.resources.name(resource)) : "",
                      left.label.valid() ? words.strings.view(left.label) : "");
  };
  std::sort(counts.begin(), counts.end(),
            [&](const LeftOut& a, const LeftOut& b) { return key(a) < key(b); });
  return counts;
}

}  // namespace trellis
