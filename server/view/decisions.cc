#include "server/view/decisions.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <vector>

#include "plugins/numa/numa_hint.h"
#include "server/view/claim_output.h"
#include "server/view/gang_summary.h"
#include "server/view/topology_output.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"
#include "session/explain/room.h"

namespace trellis {

void write_numa_zones(DocumentWriter& out, const std::vector<BindNote>& notes) {
  using Json = nlohmann::ordered_json;
  for (const BindNote& note : notes) {
    if (note.key != kNumaHint) continue;
    Json containers = Json::parse(note.value, nullptr, false);
    if (!containers.is_object()) continue;
    out.begin_object("numaZones");
    for (const auto& [name, zones] : containers.items()) {
      out.begin_array(name);
      for (const Json& zone : zones) out.integer(zone.get<int64_t>());
      out.end_array();
    }
    out.end_object();
  }
}

namespace {

void write_eviction(DocumentWriter& out, const Cluster& cluster, const Decision& eviction) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Pod& pod = cluster.pods()[eviction.pod].pod;
  out.begin_object();
  out.field("namespace", strings.view(pod.name_space));
  out.field("pod", pod.name);
  out.field("gang", strings.view(pod.gang));
  out.field("action", eviction.action);
  if (eviction.by.valid()) out.field("by", full_name(cluster, eviction.by));
  if (eviction.by_workload.valid()) out.field("by", full_name(cluster, eviction.by_workload));
  out.end_object();
}

}  // namespace

void write_evictions(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record) {
  std::vector<Decision> evictions;
  std::ranges::copy_if(record.decisions, std::back_inserter(evictions),
                       [](const auto& one) { return one.kind == Decision::Kind::Evict; });
  auto name = [&](const Decision& eviction) {
    const Pod& pod = cluster.pods()[eviction.pod].pod;
    return std::tuple(cluster.vocabulary().strings.view(pod.name_space),
                      std::string_view(pod.name));
  };
  std::stable_sort(evictions.begin(), evictions.end(),
                   [&](const Decision& a, const Decision& b) { return name(a) < name(b); });
  out.begin_array("evictions");
  for (const Decision& eviction : evictions) write_eviction(out, cluster, eviction);
  out.end_array();
}

namespace {

class Decisions {
 public:
  Decisions(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record)
      : out_(out), cluster_(cluster), record_(record) {}

  void write(int64_t cycles) {
    add_up();
    out_.begin_object();
    out_.field("apiVersion", "trellis.scheduler/v1alpha1");
    out_.field("kind", "Decisions");
    out_.field("cycles", cycles);
    write_pods();
    write_device_claims(out_, cluster_, record_);
    write_gangs();
    write_workloads(out_, cluster_, record_);
    write_evictions(out_, cluster_, record_);
    write_nodes();
    write_totals();
    out_.end_object();
    out_.finish();
  }

  void write_gang(GangId id) {
    const Gang& gang = cluster_.gangs()[id];
    const GangOutcome& outcome = record_.gangs[id];
    out_.field("namespace", view(gang.name_space));
    out_.field("name", gang.name);
    if (gang.queue.valid()) out_.field("queue", view(*gang.queue));
    out_.field("status", to_string(outcome.status));
    if (outcome.placement) write_placement(*outcome.placement);
    if (!outcome.subgroups.empty()) write_subgroups(gang, outcome);
    if (!outcome.reasons.empty()) write_reasons(out_, cluster_, outcome.reasons);
  }

 private:
  std::string_view view(StrId id) const { return cluster_.vocabulary().strings.view(id); }

  std::string_view node_of(PodId id) const {
    const PodOutcome& outcome = record_.pods[id];
    if (outcome.node.valid()) return cluster_.nodes()[outcome.node].name;
    // A pod may run on a node that is not in the input: the name is then the one in the pod.
    if (outcome.status == PodStatus::Pending) return "";
    return cluster_.pods()[id].pod.node;
  }

  // What pods request: on each node, and without one.
  void add_up() {
    on_node_.resize(cluster_.nodes().size());
    for (PodId id(0); id.value < cluster_.pods().size(); ++id.value) {
      if (!cluster_.alive(id)) continue;
      const PodSlot& slot = cluster_.pods()[id];
      const PodOutcome& outcome = record_.pods[id];
      if (has_finished(outcome.status)) continue;
      bool stays = !outcome.evicted && outcome.node.valid();
      NodeId node = stays ? outcome.node : slot.node;
      bool holds = occupies_node(outcome.status) || outcome.evicted;
      ResourceList asked = asked_by(cluster_.pod_classes()[slot.pod_class]);
      if (!holds) {
        pending_.add(asked);
      } else if (node.valid()) {
        on_node_[node].add(asked);
        requested_.add(asked);
      }
    }
  }

  // Without mere bounds.
  static ResourceList amounts_of(const Node& node) {
    if (node.by_devices.empty()) return node.allocatable;
    ResourceList amounts;
    for (const ResourceAmount& item : node.allocatable.items()) {
      if (!is_mere_bound(node, item.resource)) amounts.set(item.resource, item.amount);
    }
    return amounts;
  }

  void write_amounts(std::string_view key, const ResourceList& amounts) {
    out_.key(key);
    write_resources(out_, cluster_.vocabulary().resources, amounts);
  }

  // Sorted by index: the grant is in the order of the device names in the pod's labels.
  void write_gpus(GpuGrant gpus) {
    std::ranges::sort(gpus, {}, &GpuPart::device);
    out_.begin_array("gpus");
    for (const GpuPart& part : gpus) {
      out_.begin_object();
      out_.field("index", part.device);
      out_.field("portion", milli_text(part.portion_milli));
      out_.end_object();
    }
    out_.end_array();
  }

  void write_pod(PodId id) {
    const Pod& pod = cluster_.pods()[id].pod;
    const PodOutcome& outcome = record_.pods[id];
    out_.begin_object();
    out_.field("namespace", view(pod.name_space));
    out_.field("name", pod.name);
    out_.field("gang", view(pod.gang));
    if (std::string_view node = node_of(id); !node.empty()) out_.field("node", node);
    out_.field("status", to_string(outcome.status));
    if (!outcome.action.empty()) out_.field("action", outcome.action);
    if (outcome.evicted) out_.field("evicted", true);
    if (outcome.rank >= 0) out_.field("rank", outcome.rank);
    if (!outcome.gpus.empty()) write_gpus(outcome.gpus);
    write_numa_zones(out_, outcome.details().description);
    write_claims(outcome.details().claims);
    write_amounts("requests", asked_by(cluster_.pod_classes()[cluster_.pods()[id].pod_class]));
    out_.end_object();
  }

  // A claim without a volume gets one that is made on the pod's node.
  void write_claims(const std::vector<ClaimChoice>& claims) {
    if (claims.empty()) return;
    out_.begin_array("claims");
    for (const ClaimChoice& choice : claims) {
      out_.begin_object();
      out_.field("claim", cluster_.vocabulary().strings.view(choice.claim));
      if (!choice.volume.empty()) out_.field("volume", choice.volume);
      if (choice.volume.empty()) out_.field("provision", true);
      out_.end_object();
    }
    out_.end_array();
  }

  void write_pods() {
    out_.begin_array("pods");
    for (PodId id : cluster_.pods_by_name()) write_pod(id);
    out_.end_array();
  }

  void write_placement(const GangPlacement& placement) {
    out_.begin_object("placement");
    out_.field("topology", placement.topology);
    if (!placement.level.empty()) out_.field("level", placement.level);
    out_.begin_array("domain");
    for (const std::string& value : placement.domain) out_.text(value);
    out_.end_array();
    out_.end_object();
  }

  void write_subgroups(const Gang& gang, const GangOutcome& outcome) {
    out_.begin_array("subgroups");
    for (size_t i = 0; i < outcome.subgroups.size() && i < gang.subgroups.size(); ++i) {
      out_.begin_object();
      out_.field("name", view(gang.subgroups[i].name));
      out_.field("status", to_string(outcome.subgroups[i].status));
      if (outcome.subgroups[i].placement) write_placement(*outcome.subgroups[i].placement);
      out_.end_object();
    }
    out_.end_array();
  }

  void write_gangs() {
    out_.begin_array("gangs");
    for (GangId id : cluster_.gangs_by_name()) {
      out_.begin_object();
      write_gang(id);
      out_.end_object();
    }
    out_.end_array();
  }

  void write_nodes() {
    out_.begin_array("nodes");
    for (NodeId id : cluster_.nodes_by_name()) {
      out_.begin_object();
      out_.field("name", cluster_.nodes()[id].name);
      out_.field("gpus", whole_gpus(cluster_.nodes()[id]));
      out_.field("idleGPUs", record_.nodes[id].idle);
      out_.field("releasingGPUs", record_.nodes[id].releasing);
      if (is_closed(cluster_.nodes()[id])) out_.field("closed", true);
      write_amounts("allocatable", amounts_of(cluster_.nodes()[id]));
      write_amounts("requested", on_node_[id]);
      out_.end_object();
    }
    out_.end_array();
  }

  void write_totals() {
    ResourceList allocatable;
    for (NodeId id : cluster_.nodes_by_name()) allocatable.add(amounts_of(cluster_.nodes()[id]));
    out_.begin_object("totals");
    write_amounts("allocatable", allocatable);
    write_amounts("requested", requested_);
    write_amounts("pending", pending_);
    out_.end_object();
  }

  DocumentWriter& out_;
  const Cluster& cluster_;
  const CycleRecord& record_;
  IndexedVector<NodeId, ResourceList> on_node_;
  ResourceList requested_;
  ResourceList pending_;
};

}  // namespace

void write_gang(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                GangId gang) {
  Decisions(out, cluster, record).write_gang(gang);
}

void write_decisions(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                     int64_t cycles) {
  Decisions(out, cluster, record).write(cycles);
}

}  // namespace trellis
