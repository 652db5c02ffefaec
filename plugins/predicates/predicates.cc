#include "plugins/predicates/predicates.h"

#include <algorithm>

namespace trellis {
namespace {

bool has_fields(const PodSpec& spec) {
  auto names_fields = [](const SelectorTerm& term) { return !term.fields.empty(); };
  return std::ranges::any_of(spec.required_affinity, names_fields) ||
         std::ranges::any_of(spec.claim_terms, names_fields);
}

// `node_name`: "" where no term reads it.
bool matches_terms(const PodSpec& spec, const Labels& labels, std::string_view node_name,
                   const StringTable& strings) {
  auto holds = [&](const SelectorTerm& term) { return matches(term, labels, node_name, strings); };
  return (!spec.has_required_affinity || std::ranges::any_of(spec.required_affinity, holds)) &&
         (!spec.has_claim_terms || std::ranges::any_of(spec.claim_terms, holds));
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

ReasonCode Predicates::verdict(PodClassId pod_class, NodeClassId node_class) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  const NodeClass& node = (*view_->node_classes)[node_class];
  const StringTable& strings = view_->vocabulary->strings;
  if (!node.ready) return ReasonCode::NodeNotReady;
  if (node.unschedulable) {
    // Kubernetes' own way around a cordon: tolerate the taint that goes with it.
    StrId key = strings.find("node.kubernetes.io/unschedulable");
    Taint cordon{key, StringTable::kEmpty, TaintEffect::NoSchedule};
    if (untolerated({&cordon, 1}, spec.tolerations) != nullptr) {
      return ReasonCode::NodeUnschedulable;
    }
  }
  if (untolerated(node.taints, spec.tolerations) != nullptr) return ReasonCode::UntoleratedTaint;
  for (const Label& wanted : spec.node_selector) {
    if (find_label(node.labels, wanted.key) != wanted.value) {
      return ReasonCode::NodeSelectorMismatch;
    }
  }
  if (has_fields(spec)) return ReasonCode::None;
  return matches_terms(spec, node.labels, "", strings) ? ReasonCode::None
                                                       : ReasonCode::NodeAffinityMismatch;
}

bool Predicates::applies(PodClassId pod_class) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  return !spec.host_ports.empty() || has_fields(spec);
}

bool Predicates::matches_fields(const PodSpec& spec, NodeId node) const {
  if (!has_fields(spec)) return true;
  const Node& record = (*view_->nodes)[node];
  return matches_terms(spec, record.labels, record.name, view_->vocabulary->strings);
}

ReasonCode Predicates::refusal(PodClassId pod_class, FitMode, NodeId node) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  if (!matches_fields(spec, node)) return ReasonCode::NodeAffinityMismatch;
  auto used = ports_.find(node.value);
  if (spec.host_ports.empty() || used == ports_.end()) return ReasonCode::None;
  for (const HostPort& wanted : spec.host_ports) {
    for (const HostPort& held : used->second) {
      if (clash(wanted, held, view_->vocabulary->strings)) return ReasonCode::HostPortConflict;
    }
  }
  return ReasonCode::None;
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
