#include "tests/oracle/rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

namespace trellis::oracle {
namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::optional<long long> number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("-0123456789") != std::string::npos) return {};
  return std::stoll(text);
}

// `value`: nullopt where the node lacks the label.
bool holds(const RequirementArgs& wanted, const std::optional<std::string>& value) {
  switch (wanted.op) {
    case SelectorOp::In:
      return value && contains(wanted.values, *value);
    case SelectorOp::NotIn:
      return !value || !contains(wanted.values, *value);
    case SelectorOp::Exists:
      return value.has_value();
    case SelectorOp::DoesNotExist:
      return !value;
    case SelectorOp::Gt:
    case SelectorOp::Lt: {
      if (!value || wanted.values.size() != 1) return false;
      auto have = number(*value);
      auto bound = number(wanted.values.front());
      if (!have || !bound) return false;
      return wanted.op == SelectorOp::Gt ? *have > *bound : *have < *bound;
    }
  }
  return false;
}

std::optional<std::string> label(const NodeArgs& node, const std::string& key) {
  auto found = node.labels.find(key);
  if (found == node.labels.end()) return {};
  return found->second;
}

bool term_holds(const TermArgs& term, const std::string& name, const NodeArgs& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  for (const RequirementArgs& wanted : term.labels) {
    if (!holds(wanted, label(node, wanted.key))) return false;
  }
  for (const RequirementArgs& wanted : term.fields) {
    if (!holds(wanted, name)) return false;
  }
  return true;
}

bool tolerated(const TaintArgs& taint, const PodArgs& pod) {
  return std::any_of(
      pod.tolerations.begin(), pod.tolerations.end(), [&](const TolerationArgs& toleration) {
        if (!toleration.any_effect && toleration.effect != taint.effect) return false;
        bool exists = toleration.op == Toleration::Op::Exists;
        if (toleration.key.empty()) return exists;
        return toleration.key == taint.key && (exists || toleration.value == taint.value);
      });
}

}  // namespace

Amounts requests(const PodArgs& pod) {
  Amounts amounts = pod.extended;
  amounts["cpu"] = std::llround(pod.cpu * 1000);
  amounts["memory"] = std::llround(pod.memory_gib * double{1 << 30});
  amounts["pods"] = 1;
  amounts["nvidia.com/gpu"] = pod.gpu * 1000;
  amounts["amd.com/gpu"] = pod.amd_gpu * 1000;
  std::erase_if(amounts, [](const auto& item) { return item.second == 0; });
  return amounts;
}

Amounts capacity(const NodeArgs& node) {
  Amounts amounts = node.extended;
  amounts["cpu"] = std::llround(node.cpu * 1000);
  amounts["memory"] = std::llround(node.memory_gib * double{1 << 30});
  amounts["pods"] = node.pods;
  amounts["nvidia.com/gpu"] = node.gpu * 1000;
  amounts["amd.com/gpu"] = node.amd_gpu * 1000;
  return amounts;
}

bool admits(const std::string& name, const NodeArgs& node, const PodArgs& pod) {
  if (!node.ready) return false;
  TaintArgs cordon{.key = "node.kubernetes.io/unschedulable"};
  if (node.unschedulable && !tolerated(cordon, pod)) return false;
  for (const TaintArgs& taint : node.taints) {
    if (taint.effect != TaintEffect::PreferNoSchedule && !tolerated(taint, pod)) return false;
  }
  for (const auto& [key, value] : pod.selector) {
    if (label(node, key) != value) return false;
  }
  if (!pod.has_affinity && pod.affinity.empty()) return true;
  return std::any_of(pod.affinity.begin(), pod.affinity.end(),
                     [&](const TermArgs& term) { return term_holds(term, name, node); });
}

bool clash(const PortArgs& a, const PortArgs& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.address == b.address || a.address == "0.0.0.0" || b.address == "0.0.0.0";
}

bool shares(const PodArgs& pod) { return pod.share.milli > 0 || pod.share.mib > 0; }

int64_t portion(const PodArgs& pod, const NodeArgs& node) {
  if (pod.share.milli > 0) return pod.share.milli;
  if (node.gpu_memory_mib == 0) return 0;
  return (pod.share.mib * 1000 + node.gpu_memory_mib - 1) / node.gpu_memory_mib;
}

Path path_of(const NodeArgs& node, const std::vector<std::string>& labels) {
  Path path;
  for (const std::string& key : labels) {
    auto value = label(node, key);
    if (!value) break;
    path.push_back(*value);
  }
  return path;
}

std::string spec_key(const PodArgs& pod) {
  std::ostringstream key;
  for (const auto& [name, amount] : requests(pod)) key << name << '=' << amount << ' ';
  key << "share " << pod.share.milli << ' ' << pod.share.mib << ' ' << pod.share.devices;
  for (const auto& [name, value] : pod.selector) key << " want " << name << '=' << value;
  auto add = [&](const std::vector<RequirementArgs>& wanted, const char* kind) {
    for (const RequirementArgs& item : wanted) {
      key << kind << item.key << ' ' << static_cast<int>(item.op);
      for (const std::string& value : item.values) key << ',' << value;
    }
  };
  key << " affinity " << (pod.has_affinity || !pod.affinity.empty());
  for (const TermArgs& term : pod.affinity) {
    key << " term";
    add(term.labels, " label ");
    add(term.fields, " field ");
  }
  for (const PreferredArgs& preferred : pod.preferred) {
    key << " prefer " << preferred.weight;
    add(preferred.term.labels, " label ");
    add(preferred.term.fields, " field ");
  }
  for (const TolerationArgs& toleration : pod.tolerations) {
    key << " tolerate " << toleration.key << ' ' << static_cast<int>(toleration.op) << ' '
        << toleration.value << ' ' << toleration.any_effect << static_cast<int>(toleration.effect);
  }
  for (const PortArgs& port : pod.ports) {
    key << " port " << port.protocol << '/' << port.address << ':' << port.port;
  }
  return key.str();
}

}  // namespace trellis::oracle
