#include <string_view>

#include "server/view/domain_output.h"
#include "server/view/explanation.h"
#include "server/view/preference_output.h"
#include "server/view/standing_output.h"
#include "server/view/waiting.h"
#include "server/view/workload_output.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

std::string_view verdict_word(const FlavorExplanation& flavor) {
  switch (flavor.mode) {
    case FlavorMode::Fit:
      return flavor.borrowing > 0 ? "Borrow" : "Fit";
    case FlavorMode::Reclaim:
      return "Reclaim";
    case FlavorMode::Preempt:
      return "Preempt";
    case FlavorMode::NoCandidates:
      return "NoCandidates";
    case FlavorMode::NoFit:
      break;
  }
  return "NoFit";
}

class ExplanationWriter {
 public:
  ExplanationWriter(DocumentWriter& out, const Session& session, const Workload& workload)
      : out_(out),
        session_(session),
        cluster_(session.cluster()),
        strings_(cluster_.vocabulary().strings),
        workload_(workload) {}

  void write_queue(ClusterQueueId id) {
    if (workload_.queue.valid()) out_.field("localQueue", strings_.view(workload_.queue));
    if (id.valid()) {
      const ClusterQueue& queue = cluster_.workloads().cluster_queues()[id];
      out_.field("clusterQueue", queue.name);
      if (queue.cohort.valid()) out_.field("cohort", strings_.view(*queue.cohort));
    }
    out_.field("priority", int64_t{workload_.priority});
  }

  void write(const PartyExplanation& party) {
    out_.begin_object();
    out_.begin_array("names");
    for (uint32_t i : party.pod_sets) out_.text(strings_.view(workload_.pod_sets[i].name));
    out_.end_array();
    int64_t pods = 0;
    for (uint32_t i : party.pod_sets) pods += workload_.pod_sets[i].count;
    out_.field("pods", pods);
    if (party.uncovered.code != ReasonCode::None) {
      out_.key("reason");
      write_reason(out_, cluster_, party.uncovered);
    }
    out_.begin_array("flavors");
    for (const FlavorExplanation& flavor : party.flavors) write(flavor);
    out_.end_array();
    out_.end_object();
  }

 private:
  void write(const FlavorExplanation& flavor) {
    out_.begin_object();
    out_.field("flavor", flavor.name);
    out_.field("verdict", verdict_word(flavor));
    if (flavor.reason.code != ReasonCode::None) {
      out_.key("reason");
      write_reason(out_, cluster_, flavor.reason);
    }
    out_.begin_array("amounts");
    for (const QuotaExplanation& line : flavor.amounts) write(line);
    out_.end_array();
    if (flavor.room) write(*flavor.room);
    out_.end_object();
  }

  void write(const QuotaExplanation& line) {
    const ResourceTable& resources = cluster_.vocabulary().resources;
    auto amount = [&](std::string_view key, int64_t value) {
      out_.field(key, quantity_text(resources, line.resource, value));
    };
    out_.begin_object();
    out_.field("resource", resources.name(line.resource));
    amount("asked", line.asked);
    if (line.before > 0) amount("before", line.before);
    amount("nominal", line.nominal);
    amount("used", line.used);
    amount("available", line.available);
    amount("most", line.most);
    out_.end_object();
  }

  void write(const FlavorRoom& room) {
    const Topology& topology = cluster_.topologies()[room.unit.workers.topology];
    out_.begin_object("topology");
    out_.field("name", topology.name);
    if (!room.error.empty()) {
      out_.field("error", room.error);
      out_.end_object();
      return;
    }
    out_.field("fits", room.fits);
    if (!room.fits) {
      out_.key("reason");
      write_reason(out_, cluster_, room.failure);
    }
    out_.field("needed", int64_t{room.unit.workers.count});
    out_.begin_array("levels");
    for (const LevelRoom& level : room.levels) write(room, level);
    out_.end_array();
    write_domains(out_, session_, room.demand, room.details, kWorkloadWords);
    if (!room.fits) {
      out_.begin_object("outlook");
      write_help(out_, session_, room.help.front());
      out_.end_object();
    }
    write_preferences(out_, strings_, room.preferences);
    out_.field("nodes", room.nodes);
    write_left_out(out_, cluster_, "leftOut", room.left_out);
    out_.end_object();
  }

  void write_path(std::string_view key, const FlavorRoom& room, DomainId domain) {
    out_.begin_array(key);
    DomainName name = name_of(session_, {room.unit.workers.topology, domain});
    for (const std::string& value : name.path) out_.text(value);
    out_.end_array();
  }

  void write(const FlavorRoom& room, const LevelRoom& level) {
    const Topology& topology = cluster_.topologies()[room.unit.workers.topology];
    out_.begin_object();
    if (level.level >= 0) {
      out_.field("level", strings_.view(topology.levels[static_cast<size_t>(level.level)].label));
    }
    out_.field("domains", level.domains);
    out_.field("able", level.able);
    if (level.best.valid()) write_path("best", room, level.best);
    out_.field("pods", level.pods);
    out_.end_object();
  }

  DocumentWriter& out_;
  const Session& session_;
  const Cluster& cluster_;
  const StringTable& strings_;
  const Workload& workload_;
};

}  // namespace

void write_workload_explanation(DocumentWriter& out, Session& session, const CycleRecord& record,
                                WorkloadId id, const WorkloadExplanation& explanation) {
  const Cluster& cluster = session.cluster();
  ExplanationWriter writer(out, session, cluster.workloads()[id]);
  out.begin_object();
  write_workload(out, cluster, record, id);
  write_waiting_since(out, waiting_since(cluster, record, id));
  writer.write_queue(explanation.queue);
  write_standing(out, session, where_it_stands(session, record, id, explanation));
  if (explanation.as_if_gone) out.field("asIfGone", true);
  out.begin_array("podSets");
  for (const PartyExplanation& party : explanation.parties) writer.write(party);
  out.end_array();
  out.end_object();
}

}  // namespace trellis
