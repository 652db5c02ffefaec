#include "tests/support/plan.h"

#include <sstream>

namespace trellis {
namespace {

void print(std::ostream& out, const Plan::NodePlan& node) {
  const NodeArgs& args = node.args;
  out << "node " << node.name << " cpu=" << args.cpu << " mem=" << args.memory_gib
      << " pods=" << args.pods << " gpu=" << args.gpu;
  for (const auto& [name, amount] : args.extended) out << ' ' << name << '=' << amount;
  for (const auto& [key, value] : args.labels) out << ' ' << key << ':' << value;
  for (const TaintArgs& taint : args.taints) out << " taint:" << taint.key;
  if (!args.ready) out << " not-ready";
  if (args.unschedulable) out << " unschedulable";
  if (args.gpu_memory_mib > 0) out << " gpu-memory=" << args.gpu_memory_mib;
  out << '\n';
}

void print(std::ostream& out, const TermArgs& term) {
  for (const RequirementArgs& requirement : term.labels) {
    out << " [" << requirement.key << " op" << static_cast<int>(requirement.op);
    for (const std::string& value : requirement.values) out << ' ' << value;
    out << ']';
  }
  for (const RequirementArgs& requirement : term.fields) {
    out << " [field op" << static_cast<int>(requirement.op);
    for (const std::string& value : requirement.values) out << ' ' << value;
    out << ']';
  }
}

void print(std::ostream& out, const Plan::PodPlan& pod) {
  const PodArgs& args = pod.args;
  out << "pod " << pod.name << " gang=" << pod.gang << " cpu=" << args.cpu
      << " mem=" << args.memory_gib << " gpu=" << args.gpu;
  for (const auto& [name, amount] : args.extended) out << ' ' << name << '=' << amount;
  if (args.share.milli > 0) out << " share=" << args.share.milli << 'x' << args.share.devices;
  if (args.share.mib > 0) out << " share-mib=" << args.share.mib << 'x' << args.share.devices;
  for (const auto& [key, value] : args.selector) out << " want:" << key << '=' << value;
  for (const TermArgs& term : args.affinity) print(out << " term", term);
  for (const PreferredArgs& term : args.preferred) print(out << " prefer", term.term);
  for (const TolerationArgs& toleration : args.tolerations) out << " tolerates:" << toleration.key;
  for (const PortArgs& port : args.ports)
    out << " port=" << port.protocol << '/' << port.address << ':' << port.port;
  out << ' ' << to_string(args.status);
  if (!args.node.empty()) out << " on " << args.node;
  for (const std::string& group : args.gpu_groups) out << " group=" << group;
  if (args.hold != PodHold::None) out << " held";
  out << '\n';
}

}  // namespace

std::string Plan::text() const {
  std::ostringstream out;
  for (const TopologyPlan& topology : topologies) {
    out << "topology " << topology.name;
    for (const std::string& label : topology.labels) out << ' ' << label;
    out << '\n';
  }
  for (const NodePlan& node : nodes) print(out, node);
  for (const GangPlan& gang : gangs) {
    out << "gang " << gang.name << " min=" << gang.args.min_member
        << " priority=" << gang.args.priority << " created=" << gang.args.created
        << " topology=" << gang.args.topology << " required=" << gang.args.required
        << " preferred=" << gang.args.preferred << '\n';
  }
  for (const PodPlan& pod : pods) print(out, pod);
  return out.str();
}

}  // namespace trellis
