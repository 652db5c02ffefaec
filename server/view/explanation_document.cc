#include "server/document/timestamp.h"
#include "server/view/domain_output.h"
#include "server/view/explanation.h"
#include "server/view/preference_output.h"
#include "server/view/standing_output.h"
#include "server/view/waiting.h"
#include "server/wording/names_text.h"
#include "server/wording/node_request_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"
#include "session/explain/refusal_counts.h"

namespace trellis {
namespace {

void write_scores(DocumentWriter& out, const NodeJudgement& node) {
  out.begin_object("scores");
  for (const auto& [plugin, score] : node.scores) out.field(plugin, score);
  out.end_object();
  out.field("total", node.total);
}

void write_node(DocumentWriter& out, const Cluster& cluster, const NodeJudgement& node) {
  out.begin_object();
  out.field("name", cluster.nodes()[node.node].name);
  out.field("fits", node.fits);
  if (!node.reasons.empty()) {
    out.begin_array("reasons");
    for (const NodeReason& reason : node.reasons) write_reason(out, cluster, reason);
    out.end_array();
  }
  write_scores(out, node);
  out.end_object();
}

void write_node_request(DocumentWriter& out, const NodeRequest* request) {
  if (request == nullptr) return;
  out.begin_object("nodeRequest");
  out.field("name", request->name);
  out.field("class", request->class_name);
  out.field("state", to_string(request->state));
  if (!request->reason.empty()) out.field("reason", request->reason);
  if (!request->message.empty()) out.field("message", request->message);
  if (request->since != kNoTime) out.field("since", format_timestamp(request->since));
  out.end_object();
}

void write_refusals(DocumentWriter& out, const Cluster& cluster,
                    const std::vector<ClassRefusals>& refusals) {
  out.begin_array("refusals");
  for (const ClassRefusals& of_class : refusals) {
    out.begin_object();
    out.field("pod", full_name(cluster, of_class.example));
    out.begin_array("causes");
    for (const VerdictCount& cause : of_class.causes) {
      out.begin_object();
      out.field("code", to_string(cause.code));
      if (!cause.plugin.empty()) out.field("plugin", cause.plugin);
      if (cause.resource.valid()) {
        out.field("resource", cluster.vocabulary().resources.name(cause.resource));
      }
      out.field("nodes", cause.nodes);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_pod_explanation(DocumentWriter& out, Session& session, PodId pod,
                           const PodExplanation& explanation) {
  const Cluster& cluster = session.cluster();
  out.begin_object();
  out.field("pod", full_name(cluster, pod));
  out.begin_array("nodes");
  for (const NodeJudgement& node : explanation.nodes) write_node(out, cluster, node);
  out.end_array();
  write_domains(out, session, explanation.gang, look_into(session, explanation.gang), kGangWords);
  write_preferences(out, cluster.vocabulary().strings,
                    placement_groups(session, cluster.pods()[pod].gang));
  out.end_object();
  out.finish();
}

void write_gang_explanation(DocumentWriter& out, Session& session, const CycleRecord& record,
                            GangId gang, const DemandExplanation& explanation) {
  const Cluster& cluster = session.cluster();
  const GangOutcome& outcome = record.gangs[gang];
  out.begin_object();
  out.field("gang", full_name(cluster, gang));
  out.field("status", to_string(outcome.status));
  write_waiting_since(out, waiting_since(cluster, record, gang));
  write_reasons(out, cluster, outcome.reasons);
  write_node_request(out, cluster.node_request_of(gang));
  write_standing(out, session, where_it_stands(session, record, gang, explanation));
  write_domains(out, session, explanation, look_into(session, explanation), kGangWords);
  if (outcome.status == GangStatus::Pending) {
    write_outlook(out, session, explanation, help_for(session, explanation));
    write_refusals(out, cluster, count_refusals(session, explanation));
  }
  write_preferences(out, cluster.vocabulary().strings, placement_groups(session, gang));
  out.end_object();
}

}  // namespace trellis
