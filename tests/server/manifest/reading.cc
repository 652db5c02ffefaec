#include "tests/server/manifest/reading.h"

#include <algorithm>
#include <sstream>

namespace trellis::test {
namespace {

template <class T, class Name>
const T* find(const std::vector<T>& all, std::string_view name, Name name_of) {
  auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return name_of(one) == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string show(const Reading& reading, const Labels& labels) {
  std::vector<std::string> all;
  for (const Label& label : labels) {
    all.push_back(reading.text(label.key) + "=" + reading.text(label.value));
  }
  std::sort(all.begin(), all.end());
  std::string out;
  for (const std::string& one : all) out += " " + one;
  return out;
}

std::string show(const Reading& reading, const ResourceList& list) {
  std::vector<std::string> all;
  for (const ResourceAmount& item : list.items()) {
    all.push_back(reading.vocabulary->resources.name(item.resource) + "=" +
                  std::to_string(item.amount));
  }
  std::sort(all.begin(), all.end());
  std::string out;
  for (const std::string& one : all) out += " " + one;
  return out;
}

std::string show(const Reading& reading, const SelectorTerm& term) {
  std::string out = "{";
  for (const std::vector<Requirement>* part : {&term.labels, &term.fields}) {
    for (const Requirement& requirement : *part) {
      out +=
          reading.text(requirement.key) + " op" + std::to_string(static_cast<int>(requirement.op));
      for (StrId value : requirement.values) out += " " + reading.text(value);
      out += ";";
    }
    out += "|";
  }
  return out + "}";
}

}  // namespace

std::string show(const Reading& reading, const std::vector<SegmentLayer>& layers) {
  std::string out;
  for (const SegmentLayer& layer : layers) {
    out += " segments=" + std::to_string(layer.size) + ":" + reading.text(layer.required) + "," +
           reading.text(layer.preferred);
  }
  return out;
}

std::string show(const Reading& reading, const Subgroup& subgroup) {
  std::string out = reading.text(subgroup.name) + "(" + std::to_string(subgroup.parent) +
                    " min=" + std::to_string(subgroup.min_member);
  if (subgroup.min_subgroup != Subgroup::kAll) {
    out += " min-subgroup=" + std::to_string(subgroup.min_subgroup);
  }
  if (!subgroup.topology.empty()) {
    out += " topology=" + reading.text(subgroup.topology.topology) + "," +
           reading.text(subgroup.topology.required) + "," +
           reading.text(subgroup.topology.preferred);
  }
  return out + show(reading, subgroup.segments) + ")";
}

std::string Reading::text(Maybe<StrId> id) const {
  return id ? std::string(vocabulary->strings.view(*id)) : "";
}

const Node* Reading::node(std::string_view name) const {
  return find(manifest.objects.nodes, name, [](const Node& node) { return node.name; });
}

const PodObject* Reading::pod(std::string_view name) const {
  return find(manifest.objects.pods, name, [](const PodObject& pod) { return pod.pod.name; });
}

const Gang* Reading::gang(std::string_view name) const {
  return find(manifest.objects.gangs, name, [](const Gang& gang) { return gang.name; });
}

const Queue* Reading::queue(std::string_view name) const {
  return find(manifest.objects.queues, name, [](const Queue& queue) { return queue.name; });
}

const Topology* Reading::topology(std::string_view name) const {
  return find(manifest.objects.topologies, name,
              [](const Topology& topology) { return topology.name; });
}

const Flavor* Reading::flavor(std::string_view name) const {
  return find(manifest.objects.flavors, name, [](const Flavor& flavor) { return flavor.name; });
}

const ClusterQueue* Reading::cluster_queue(std::string_view name) const {
  return find(manifest.objects.cluster_queues, name,
              [](const ClusterQueue& queue) { return queue.name; });
}

const Cohort* Reading::cohort(std::string_view name) const {
  return find(manifest.objects.cohorts, name, [](const Cohort& cohort) { return cohort.name; });
}

const Workload* Reading::workload(std::string_view name) const {
  return find(manifest.objects.workloads, name,
              [](const Workload& workload) { return workload.name; });
}

int64_t Reading::request(std::string_view name, std::string_view resource) const {
  const PodObject* found = pod(name);
  ResourceId id = vocabulary->resources.find(resource);
  return found == nullptr || !id.valid() ? 0 : found->spec->requests.get(id);
}

std::vector<std::string> Reading::pod_names() const {
  std::vector<std::string> names;
  for (const PodObject& pod : manifest.objects.pods) names.push_back(pod.pod.name);
  return names;
}

std::vector<std::string> Reading::gang_names() const {
  std::vector<std::string> names;
  for (const Gang& gang : manifest.objects.gangs) names.push_back(gang.name);
  return names;
}

std::string Reading::gang_of(std::string_view name) const {
  const PodObject* found = pod(name);
  return found == nullptr ? "" : text(found->pod.gang);
}

std::vector<std::string> Reading::diagnostics() const {
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : manifest.diagnostics) all.push_back(to_string(diagnostic));
  return all;
}

std::vector<ReasonCode> Reading::reasons(std::string_view name) const {
  std::vector<ReasonCode> codes;
  const Gang* found = gang(name);
  if (found == nullptr) return codes;
  for (const Reason& reason : found->errors) codes.push_back(reason.code);
  return codes;
}

Reading read(std::string_view text, std::string_view file, const ReadOptions& options) {
  Reading reading;
  reading.manifest = read_manifest_text(file, text, *reading.vocabulary, options);
  return reading;
}

Reading read_paths(const std::vector<std::string>& paths, const ReadOptions& options) {
  Reading reading;
  reading.manifest = read_manifest(paths, *reading.vocabulary, options);
  return reading;
}

std::string dump(const Reading& reading) {
  std::ostringstream out;
  out << dump_kueue(reading);
  const Objects& objects = reading.manifest.objects;
  for (const Node& node : objects.nodes) {
    out << "node " << node.name << " ready=" << node.ready << " off=" << node.unschedulable
        << " gpu-mib=" << node.gpu_memory_mib << " labels" << show(reading, node.labels)
        << " taints";
    for (const Taint& taint : node.taints) {
      out << " " << reading.text(taint.key) << "=" << reading.text(taint.value) << ":"
          << static_cast<int>(taint.effect);
    }
    out << " allocatable" << show(reading, node.allocatable) << "\n";
  }
  for (const PodObject& object : objects.pods) {
    const Pod& pod = object.pod;
    const PodSpec& spec = *object.spec;
    out << "pod " << reading.text(pod.name_space) << "/" << pod.name << " uid=" << pod.uid
        << " gang=" << reading.text(pod.gang) << " workload=" << reading.text(pod.workload) << "/"
        << reading.text(pod.pod_set) << " subgroup=" << reading.text(pod.subgroup) << " "
        << to_string(pod.status) << " hold=" << static_cast<int>(pod.hold) << " node=" << pod.node
        << " finalizer=" << pod.finalizer << " leader=" << pod.leader
        << " order=" << pod.order_priority << " index=" << pod.completion_index << " groups";
    for (StrId group : pod.gpu_groups) out << " " << reading.text(group);
    out << " created=" << pod.created << " started=" << pod.started << " labels"
        << show(reading, pod.labels) << " requests" << show(reading, spec.requests)
        << " share=" << spec.gpu_share.portion_milli << "/" << spec.gpu_share.memory_mib << "x"
        << spec.gpu_share.devices << " selector" << show(reading, spec.node_selector);
    if (spec.has_required_affinity) out << " required";
    for (const SelectorTerm& term : spec.required_affinity) out << show(reading, term);
    if (spec.has_claim_terms) out << " claims";
    for (const SelectorTerm& term : spec.claim_terms) out << show(reading, term);
    for (const PreferredTerm& term : spec.preferred_affinity) {
      out << " prefers" << term.weight << show(reading, term.term);
    }
    std::vector<std::string> tolerations;
    for (const Toleration& toleration : spec.tolerations) {
      tolerations.push_back(
          reading.text(toleration.key) + (toleration.op == Toleration::Op::Exists ? "?" : "=") +
          reading.text(toleration.value) + ":" +
          (toleration.any_effect ? "*" : std::to_string(static_cast<int>(toleration.effect))));
    }
    std::sort(tolerations.begin(), tolerations.end());
    for (const std::string& toleration : tolerations) out << " tolerates " << toleration;
    std::vector<std::string> ports;
    for (const HostPort& port : spec.host_ports) {
      ports.push_back(reading.text(port.protocol) + "/" + reading.text(port.address) + ":" +
                      std::to_string(port.port));
    }
    std::sort(ports.begin(), ports.end());
    for (const std::string& port : ports) out << " port " << port;
    out << "\n";
  }
  for (const Gang& gang : objects.gangs) {
    out << "gang " << reading.text(gang.name_space) << "/" << gang.name << " uid=" << gang.uid
        << " queue=" << reading.text(gang.queue) << " min=" << gang.min_member
        << " priority=" << gang.priority << " preemptible=" << gang.preemptible
        << " topology=" << reading.text(gang.topology.topology) << ","
        << reading.text(gang.topology.required) << "," << reading.text(gang.topology.preferred)
        << " created=" << gang.created;
    if (gang.min_subgroup != Subgroup::kAll) out << " min-subgroup=" << gang.min_subgroup;
    out << show(reading, gang.segments) << (gang.balanced ? " balanced" : "");
    for (const Subgroup& subgroup : gang.subgroups) out << " " << show(reading, subgroup);
    for (const Reason& reason : gang.errors) {
      out << " error=" << to_string(reason.code) << "(" << reason.subject << ")";
      if (!reason.subgroup.empty()) out << " of " << reason.subgroup;
    }
    out << "\n";
  }
  for (const Queue& queue : objects.queues) {
    out << "queue " << queue.name << " parent=" << reading.text(queue.parent);
    for (const QueueShare* share : {&queue.gpu, &queue.cpu, &queue.memory}) {
      out << " " << share->quota << "/" << share->limit << "/" << share->over_quota_weight;
    }
    out << " priority=" << queue.priority << " created=" << queue.created << "\n";
  }
  for (const Topology& topology : objects.topologies) {
    out << "topology " << topology.name;
    for (const TopologyLevel& level : topology.levels) {
      out << " " << reading.text(level.label) << "(" << reading.text(level.alias) << ")";
    }
    out << "\n";
  }
  out << "newest " << reading.manifest.newest_timestamp << "\n";
  for (const RawObject& raw : reading.manifest.raw) {
    out << "raw " << raw.kind << " " << raw.name_space << "/" << raw.name << " " << raw.json
        << "\n";
  }
  return out.str();
}

}  // namespace trellis::test
