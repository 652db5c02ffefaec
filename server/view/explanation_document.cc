#include "server/view/explanation.h"
#include "server/view/preference_output.h"
#include "server/view/standing_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"
#include "session/explain/remedy.h"

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

void write_segments(DocumentWriter& out, const SegmentFit& segments) {
  if (segments.size == 0) return;
  out.begin_object("segments");
  out.field("size", segments.size);
  out.field("takes", segments.takes);
  out.field("needed", segments.needed);
  out.end_object();
}

// Writes the obstacles in the domain besides shortage, and what would help.
void write_obstacles(DocumentWriter& out, Session& session, const DemandExplanation& explanation,
                     const DomainJudgement& judgement) {
  if (judgement.fits) return;
  std::vector<VerdictCount> refusals = refusals_in(session, explanation, judgement);
  if (!refusals.empty()) {
    out.begin_array("refusals");
    for (const VerdictCount& refusal : refusals) {
      out.begin_object();
      out.field("code", to_string(refusal.code));
      if (!refusal.plugin.empty()) out.field("plugin", refusal.plugin);
      out.field("nodes", refusal.nodes);
      out.end_object();
    }
    out.end_array();
  }
  if (VerdictCount limited = limited_in(session, explanation, judgement); limited.nodes > 0) {
    write_limit(out, limited);
  }
  write_remedy(out, session.cluster().vocabulary().resources,
               remedy_for(session, explanation, judgement));
}

void write_domain(DocumentWriter& out, Session& session, const DemandExplanation& explanation,
                  const DomainJudgement& judgement) {
  const Cluster& cluster = session.cluster();
  const DemandPart& part = explanation.parts[judgement.part];
  DomainName name = name_of(session, judgement.domain);
  out.begin_object();
  if (!name.topology.empty()) out.field("topology", name.topology);
  if (!name.level.empty()) out.field("level", name.level);
  out.begin_array("path");
  for (const std::string& value : name.path) out.text(value);
  out.end_array();
  out.field("allocatablePods", judgement.allocatable_pods);
  out.field("needed", judgement.needed);
  out.field("fits", judgement.fits);
  write_shortages(out, cluster.vocabulary().resources, "short", explanation.short_of(judgement));
  if (part.subgroup.valid()) {
    out.field("subgroup", cluster.vocabulary().strings.view(part.subgroup));
  }
  if (judgement.later_pods != judgement.allocatable_pods) {
    out.field("laterPods", judgement.later_pods);
  }
  if (!judgement.proved) out.field("byCount", true);
  write_segments(out, explanation.segments_of(judgement));
  write_obstacles(out, session, explanation, judgement);
  out.end_object();
}

void write_domains(DocumentWriter& out, Session& session, const DemandExplanation& explanation) {
  out.begin_array("domains");
  for (const DomainJudgement& judgement : explanation.domains) {
    write_domain(out, session, explanation, judgement);
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
  write_domains(out, session, explanation.gang);
  write_preferences(out, session, cluster.pods()[pod].gang);
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
  out.begin_array("reasons");
  for (const Reason& reason : outcome.reasons) write_reason(out, cluster, reason);
  out.end_array();
  write_standing(out, session, record, gang, explanation);
  write_domains(out, session, explanation);
  if (outcome.status == GangStatus::Pending) write_outlook(out, session, explanation);
  write_preferences(out, session, gang);
  out.end_object();
  out.finish();
}

}  // namespace trellis
