#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "server/objects/decoders.h"

namespace trellis {
namespace {

// The taints that Kubernetes makes every pod of a DaemonSet tolerate.
constexpr std::array<std::pair<std::string_view, TaintEffect>, 6> kTolerated = {{
    {"node.kubernetes.io/not-ready", TaintEffect::NoExecute},
    {"node.kubernetes.io/unreachable", TaintEffect::NoExecute},
    {"node.kubernetes.io/disk-pressure", TaintEffect::NoSchedule},
    {"node.kubernetes.io/memory-pressure", TaintEffect::NoSchedule},
    {"node.kubernetes.io/pid-pressure", TaintEffect::NoSchedule},
    {"node.kubernetes.io/unschedulable", TaintEffect::NoSchedule},
}};

void tolerate(PodSpec& spec, FieldReader& fields) {
  std::vector<Toleration>& all = spec.tolerations;
  for (const auto& [key, effect] : kTolerated) {
    Toleration toleration{.key = fields.intern(key), .op = Toleration::Op::Exists};
    toleration.any_effect = false;
    toleration.effect = effect;
    all.push_back(toleration);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

DaemonSetRecord decode_daemon_set(NamedObject named, PodDecoder& pods, FieldReader& fields) {
  DaemonSetRecord record{std::move(named.meta)};
  record.daemon_set.name_space = record.meta.key.name_space;
  record.daemon_set.name = std::move(named.name);
  Value object = named.object;
  Value spec = fields.object(object, "spec");
  Value pod_template = fields.object(spec, "template");
  if (pod_template.absent()) {
    if (spec["template"].absent()) {
      fields.missing(spec.absent() ? object : spec, spec.absent() ? "spec" : "template",
                     "the pods to make");
    }
    return record;
  }
  PodObject made = std::move(pods.decode_template(pod_template).object);
  record.daemon_set.spec = *made.spec;
  record.daemon_set.labels = std::move(made.pod.labels);
  tolerate(record.daemon_set.spec, fields);
  return record;
}

}  // namespace trellis
