#include "plugins/predicates/predicates.h"

#include <algorithm>
#include <array>

namespace trellis {
namespace {

// The refusals of a node class, in the order in which they are looked for.
constexpr std::array kOfClass = {ReasonCode::NodeNotReady,         ReasonCode::NodeUnschedulable,
                                 ReasonCode::UntoleratedTaint,     ReasonCode::NodeSelectorMismatch,
                                 ReasonCode::NodeAffinityMismatch, ReasonCode::NodeFeatureMissing};
// The refusals that differ between nodes of one class.
constexpr std::array kOfNode = {ReasonCode::NodeAffinityMismatch, ReasonCode::HostPortConflict};

bool has_fields(const PodSpec& spec) {
  auto names_fields = [](const SelectorTerm& term) { return !term.fields.empty(); };
  return std::ranges::any_of(spec.required_affinity, names_fields);
}

// `node_name`: "" where no term reads it.
bool matches_terms(const PodSpec& spec, const Labels& labels, std::string_view node_name,
                   const StringTable& strings) {
  auto holds = [&](const SelectorTerm& term) { return matches(term, labels, node_name, strings); };
  return !spec.has_required_affinity || std::ranges::any_of(spec.required_affinity, holds);
}

// 0.0.0.0 means every address (Kubernetes' NodePorts rule).
bool clash(const HostPort& a, const HostPort& b, const StringTable& strings) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.address == b.address || strings.view(a.address) == "0.0.0.0" ||
         strings.view(b.address) == "0.0.0.0";
}

}  // namespace

void Predicates::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.class_filters.push_back({this, name()});
  hooks.node_counters.push_back({this, name()});
  hooks.listeners.push_back({this, name()});
}

bool Predicates::refuses(ReasonCode code, const PodSpec& spec, const NodeClass& node) const {
  const StringTable& strings = view_->vocabulary->strings;
  switch (code) {
    case ReasonCode::NodeNotReady:
      return !node.ready;
    case ReasonCode::NodeUnschedulable: {
      if (!node.unschedulable) return false;
      // Kubernetes' own way around a cordon: tolerate the taint that goes with it.
      StrId key = strings.find("node.kubernetes.io/unschedulable");
      Taint cordon{key, StringTable::kEmpty, TaintEffect::NoSchedule};
      return untolerated({&cordon, 1}, spec.tolerations) != nullptr;
    }
    case ReasonCode::UntoleratedTaint:
      return untolerated(node.taints, spec.tolerations) != nullptr;
    case ReasonCode::NodeSelectorMismatch:
      return std::ranges::any_of(spec.node_selector, [&](const Label& wanted) {
        return find_label(node.labels, wanted.key) != wanted.value;
      });
    case ReasonCode::NodeAffinityMismatch:
      return !has_fields(spec) && !matches_terms(spec, node.labels, "", strings);
    case ReasonCode::NodeFeatureMissing:
      return !node.features.has_all(spec.features);
    default:
      return false;
  }
}

ReasonCode Predicates::verdict(PodClassId pod_class, NodeClassId node_class) const {
  for (ReasonCode code : kOfClass) {
    if (refuses(code, (*view_->pod_classes)[pod_class], (*view_->node_classes)[node_class])) {
      return code;
    }
  }
  return ReasonCode::None;
}

void Predicates::append_verdicts(PodClassId pod_class, NodeClassId node_class,
                                 std::vector<ReasonCode>& codes) const {
  for (ReasonCode code : kOfClass) {
    if (refuses(code, (*view_->pod_classes)[pod_class], (*view_->node_classes)[node_class])) {
      codes.push_back(code);
    }
  }
}

bool Predicates::applies(PodClassId pod_class) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  return !spec.host_ports.empty() || has_fields(spec);
}

bool Predicates::refuses(ReasonCode code, const PodSpec& spec, NodeId node) const {
  const StringTable& strings = view_->vocabulary->strings;
  if (code == ReasonCode::NodeAffinityMismatch) {
    const Node& record = (*view_->nodes)[node];
    return has_fields(spec) && !matches_terms(spec, record.labels, record.name, strings);
  }
  auto used = ports_.find(node.value);
  if (spec.host_ports.empty() || used == ports_.end()) return false;
  return std::ranges::any_of(spec.host_ports, [&](const HostPort& wanted) {
    return std::ranges::any_of(used->second,
                               [&](const HostPort& held) { return clash(wanted, held, strings); });
  });
}

ReasonCode Predicates::refusal(PodClassId pod_class, FitMode, NodeId node) const {
  for (ReasonCode code : kOfNode) {
    if (refuses(code, (*view_->pod_classes)[pod_class], node)) return code;
  }
  return ReasonCode::None;
}

void Predicates::append_refusals(PodClassId pod_class, FitMode, NodeId node,
                                 std::vector<ReasonCode>& codes) const {
  for (ReasonCode code : kOfNode) {
    if (refuses(code, (*view_->pod_classes)[pod_class], node)) codes.push_back(code);
  }
}

void Predicates::count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                           std::span<int32_t> counts) const {
  bool one_a_node = !(*view_->pod_classes)[pod_class].host_ports.empty();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (refusal(pod_class, mode, nodes[i]) != ReasonCode::None) counts[i] = 0;
    if (one_a_node) counts[i] = std::min(counts[i], 1);
  }
}

bool Predicates::tracks(PodClassId pod_class) const {
  return !(*view_->pod_classes)[pod_class].host_ports.empty();
}

void Predicates::placed(PodClassId pod_class, NodeId node, Presence presence) {
  if (presence == Presence::Evicted) return;  // its ports count as free at once
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  std::vector<HostPort>& used = ports_[node.value];
  used.insert(used.end(), spec.host_ports.begin(), spec.host_ports.end());
}

void Predicates::removed(PodClassId pod_class, NodeId node, Presence presence) {
  if (presence == Presence::Evicted) return;  // its ports count as free at once
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  std::vector<HostPort>& used = ports_[node.value];
  for (const HostPort& port : spec.host_ports) {
    auto held = std::find(used.begin(), used.end(), port);
    if (held != used.end()) used.erase(held);
  }
}

}  // namespace trellis
