#include "server/output/explanation.h"
#include "server/output/quantity_text.h"
#include "server/output/reason_text.h"

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

void write_domain(DocumentWriter& out, const Cluster& cluster, const DomainJudgement& domain) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  out.begin_object();
  out.field("topology", domain.topology);
  if (!domain.level.empty()) out.field("level", domain.level);
  out.begin_array("path");
  for (const std::string& value : domain.path) out.text(value);
  out.end_array();
  out.field("allocatablePods", domain.allocatable_pods);
  out.field("needed", domain.needed);
  out.field("fits", domain.fits);
  if (!domain.shortages.empty()) {
    out.begin_array("shortages");
    for (const Shortage& shortage : domain.shortages) {
      out.begin_object();
      out.field("resource", resources.name(shortage.resource));
      out.field("by", quantity_text(resources, shortage.resource, shortage.by));
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

void write_domains(DocumentWriter& out, const Cluster& cluster,
                   const std::vector<DomainJudgement>& domains) {
  out.begin_array("domains");
  for (const DomainJudgement& domain : domains) write_domain(out, cluster, domain);
  out.end_array();
}

std::string full_name(const Cluster& cluster, StrId name_space, std::string_view name) {
  return std::string(cluster.vocabulary().strings.view(name_space)).append("/").append(name);
}

}  // namespace

void write_pod_explanation(DocumentWriter& out, const Cluster& cluster, PodId pod,
                           const PodExplanation& explanation) {
  const Pod& record = cluster.pods()[pod].pod;
  out.begin_object();
  out.field("pod", full_name(cluster, record.name_space, record.name));
  out.begin_array("nodes");
  for (const NodeJudgement& node : explanation.nodes) write_node(out, cluster, node);
  out.end_array();
  write_domains(out, cluster, explanation.domains);
  out.end_object();
  out.finish();
}

void write_gang_explanation(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                            GangId gang, const std::vector<DomainJudgement>& domains) {
  const GangOutcome& outcome = record.gangs[gang];
  out.begin_object();
  out.field("gang",
            full_name(cluster, cluster.gangs()[gang].name_space, cluster.gangs()[gang].name));
  out.field("status", to_string(outcome.status));
  out.begin_array("reasons");
  for (const Reason& reason : outcome.reasons) write_reason(out, cluster, reason);
  out.end_array();
  write_domains(out, cluster, domains);
  out.end_object();
  out.finish();
}

}  // namespace trellis
