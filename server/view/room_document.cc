#include "server/view/room_explanation.h"
#include "server/view/standing_output.h"
#include "server/view/topology_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

const ResourceTable& resources_of(const Session& session) {
  return session.cluster().vocabulary().resources;
}

// {"nvidia.com/gpu":{"allocatable":"4","used":"2","free":"2","later":"4"}}
void write_rooms(DocumentWriter& out, const Session& session,
                 const std::vector<ResourceRoom>& rooms) {
  const ResourceTable& resources = resources_of(session);
  out.begin_object("resources");
  for (const ResourceRoom& room : rooms) {
    out.begin_object(resources.name(room.resource));
    out.field("allocatable", quantity_text(resources, room.resource, room.allocatable));
    out.field("used", quantity_text(resources, room.resource, room.used()));
    out.field("free", quantity_text(resources, room.resource, room.now));
    if (room.later != room.now) {
      out.field("later", quantity_text(resources, room.resource, room.later));
    }
    if (room.unavailable > 0) {
      out.field("unavailable", quantity_text(resources, room.resource, room.unavailable));
    }
    out.end_object();
  }
  out.end_object();
}

void write_devices(DocumentWriter& out, const std::vector<DeviceRoom>& devices) {
  if (devices.empty()) return;
  out.begin_array("gpus");
  for (size_t i = 0; i < devices.size(); ++i) {
    out.begin_object();
    out.field("index", i);
    out.field("free", milli_text(devices[i].now));
    if (devices[i].later != devices[i].now) out.field("later", milli_text(devices[i].later));
    out.end_object();
  }
  out.end_array();
}

void write_device_stands(DocumentWriter& out, const std::vector<DeviceStand>& stands) {
  if (stands.empty()) return;
  out.begin_array("devices");
  for (const DeviceStand& stand : stands) {
    out.begin_object();
    out.field("driver", stand.id.driver);
    out.field("pool", stand.id.pool);
    out.field("device", stand.id.device);
    if (stand.tainted) out.field("tainted", true);
    out.begin_array("heldBy");
    for (const std::string& holder : stand.holders) out.text(holder);
    out.end_array();
    if (!stand.overlaps.empty()) {
      out.begin_array("overlaps");
      for (const std::string& holder : stand.overlaps) out.text(holder);
      out.end_array();
    }
    out.end_object();
  }
  out.end_array();
}

void write_gangs(DocumentWriter& out, const Session& session, const CycleRecord& record,
                 const std::vector<Holding>& gangs) {
  out.begin_array("gangs");
  for (const Holding& holding : gangs) {
    const Gang& gang = session.cluster().gangs()[holding.gang];
    out.begin_object();
    out.field("namespace", session.cluster().vocabulary().strings.view(gang.name_space));
    out.field("name", gang.name);
    out.field("status", to_string(record.gangs[holding.gang].status));
    out.field("pods", holding.pods);
    if (holding.all_pods > holding.pods)
      out.field("podsElsewhere", holding.all_pods - holding.pods);
    out.key("holds");
    write_resources(out, resources_of(session), holding.holds);
    out.end_object();
  }
  out.end_array();
}

void write_pods(DocumentWriter& out, const Session& session, const CycleRecord& record,
                const std::vector<PodHolding>& pods) {
  const Cluster& cluster = session.cluster();
  out.begin_array("pods");
  for (const PodHolding& holding : pods) {
    const PodSlot& slot = cluster.pods()[holding.pod];
    out.begin_object();
    out.field("namespace", cluster.vocabulary().strings.view(slot.pod.name_space));
    out.field("name", slot.pod.name);
    out.field("gang", full_name(cluster, slot.gang));
    out.field("status", to_string(record.pods[holding.pod].status));
    out.key("holds");
    write_resources(out, resources_of(session), holding.holds);
    out.end_object();
  }
  out.end_array();
}

void write_shape(DocumentWriter& out, const Session& session, const PendingShape& shape) {
  const Cluster& cluster = session.cluster();
  if (shape.gang.valid()) {
    out.field("gang", full_name(cluster, shape.gang));
  } else {
    out.field("workload", full_name(cluster, shape.workload));
    out.field("flavor", cluster.workloads().flavors()[shape.flavor].name);
  }
  out.field("alike", shape.members);
}

void write_pod_room(DocumentWriter& out, const Session& session, const NodeExplanation& explanation,
                    const PodRoom& room) {
  out.begin_object();
  write_shape(out, session, explanation.shapes[room.shape]);
  out.key("asks");
  write_resources(out, resources_of(session),
                  asked_by(session.cluster().pod_classes()[room.pod_class]));
  out.field("pods", room.now);
  if (room.later != room.now) out.field("laterPods", room.later);
  if (!room.reasons.empty()) {
    out.begin_array("reasons");
    for (const NodeReason& reason : room.reasons) write_reason(out, session.cluster(), reason);
    out.end_array();
  }
  out.end_object();
}

void write_children(DocumentWriter& out, const Session& session,
                    const DomainExplanation& explanation) {
  const ResourceTable& resources = resources_of(session);
  out.begin_array("domains");
  for (const ChildRoom& child : explanation.children) {
    DomainName name = name_of(session, {explanation.domain.topology, child.domain});
    out.begin_object();
    out.field("name", name.path.back());
    out.field("level", name.level);
    out.field("nodes", child.nodes);
    out.begin_object("free");
    out.field(resources.name(explanation.measure),
              quantity_text(resources, explanation.measure, child.now));
    out.end_object();
    out.end_object();
  }
  out.end_array();
}

void write_gang_rooms(DocumentWriter& out, const Session& session,
                      const DomainExplanation& explanation) {
  out.begin_array("pending");
  for (size_t i = 0; i < explanation.shapes.size(); ++i) {
    const GangRoom& room = explanation.pending[i];
    bool of_gangs = explanation.shapes[i].gang.valid();
    out.begin_object();
    write_shape(out, session, explanation.shapes[i]);
    out.field("minimum", pods_of(explanation.shapes[i]));
    out.field("pods", room.pods);
    out.field(of_gangs ? "gangs" : "workloads", room.gangs);
    if (room.later_gangs != room.gangs || room.later_pods != room.pods) {
      out.field("laterPods", room.later_pods);
      out.field(of_gangs ? "laterGangs" : "laterWorkloads", room.later_gangs);
    }
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_node_explanation(DocumentWriter& out, const Session& session, const CycleRecord& record,
                            const NodeExplanation& explanation) {
  out.begin_object();
  out.field("node", session.cluster().nodes()[explanation.node].name);
  write_rooms(out, session, explanation.resources);
  write_devices(out, explanation.devices);
  write_device_stands(out, explanation.of_drivers);
  out.begin_array("domains");
  for (const DomainRef& domain : explanation.domains) {
    out.begin_object();
    write_path(out, name_of(session, domain));
    out.end_object();
  }
  out.end_array();
  write_pods(out, session, record, explanation.pods);
  write_gangs(out, session, record, explanation.gangs);
  out.begin_array("pending");
  for (const PodRoom& room : explanation.pending) {
    write_pod_room(out, session, explanation, room);
  }
  out.end_array();
  out.end_object();
  out.finish();
}

void write_domain_explanation(DocumentWriter& out, const Session& session,
                              const CycleRecord& record, const DomainExplanation& explanation) {
  out.begin_object();
  write_path(out, name_of(session, explanation.domain));
  out.field("nodes", explanation.nodes);
  write_rooms(out, session, explanation.resources);
  write_children(out, session, explanation);
  write_gangs(out, session, record, explanation.gangs);
  write_gang_rooms(out, session, explanation);
  out.end_object();
  out.finish();
}

}  // namespace trellis
