#include "server/debug/pod_answers.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/debug/row_search.h"
#include "server/document/json_writer.h"
#include "server/view/name_search.h"
#include "server/view/object_names.h"
#include "server/view/text_table.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

// REQUIRES: the order of PodStatus.
constexpr std::string_view kPodStatuses[] = {"Pending", "Bound",     "Pipelined", "Running",
                                             "Evicted", "Releasing", "Succeeded", "Failed"};

class PodRows {
 public:
  explicit PodRows(const CycleView& view)
      : cluster_(view.cluster()), strings_(cluster_.vocabulary().strings), record_(view.record()) {}

  std::string_view status(PodId id) const { return to_string(record_.pods[id].status); }
  int rank(PodId id) const { return static_cast<int>(record_.pods[id].status); }
  std::string_view queue(PodId) const { return ""; }
  TimeUs since(PodId) const { return kNoTime; }
  std::string name(PodId id) const { return full_name(cluster_, id); }
  std::string details(PodId id) const { return gang(id) + " " + std::string(node(id)); }

  std::string gang(PodId id) const {
    return std::string(strings_.view(cluster_.pods()[id].pod.gang));
  }
  // "" where it has none; a pod may run on a node that is not in the input.
  std::string_view node(PodId id) const {
    const PodOutcome& outcome = record_.pods[id];
    if (outcome.node.valid()) return cluster_.nodes()[outcome.node].name;
    bool placed = outcome.status != PodStatus::Pending;
    return placed ? cluster_.pods()[id].pod.node.view() : std::string_view();
  }

 private:
  const Cluster& cluster_;
  const StringTable& strings_;
  const CycleRecord& record_;
};

// The domain of the pod's node in the topology: "domain":["b1","r4"] in the open object.
void write_place(DocumentWriter& out, const CycleView& view, TopologyId topology, NodeId node) {
  if (!topology.valid() || !node.valid()) return;
  const TopologyTree& tree = view.session().snapshot().trees()[topology];
  if (!tree.domain_of(node).valid()) return;
  out.begin_array("domain");
  for (StrId value : tree.path(tree.domain_of(node))) {
    out.text(view.cluster().vocabulary().strings.view(value));
  }
  out.end_array();
}

std::string pods_json(const CycleView& view, const FoundRows<PodId>& found, TopologyId topology) {
  const Cluster& cluster = view.cluster();
  PodRows rows(view);
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("pods");
  for (PodId id : found.rows) {
    const Pod& pod = cluster.pods()[id].pod;
    out.begin_object();
    out.field("namespace", cluster.vocabulary().strings.view(pod.name_space));
    out.field("name", pod.name);
    out.field("gang", rows.gang(id));
    out.field("status", rows.status(id));
    if (std::string_view node = rows.node(id); !node.empty()) out.field("node", node);
    write_place(out, view, topology, view.record().pods[id].node);
    out.end_object();
  }
  out.end_array();
  write_found(out, found.more, found.statuses);
  out.end_object();
  out.finish();
  return sink.text();
}

std::string pods_text(const CycleView& view, const FoundRows<PodId>& found) {
  if (found.rows.empty()) return "no pods\n";
  PodRows rows(view);
  TextTable table({{"POD"}, {"GANG"}, {"STATUS"}, {"NODE"}});
  for (PodId id : found.rows) {
    std::string_view node = rows.node(id);
    table.add_row({{rows.name(id)},
                   {rows.gang(id)},
                   {std::string(rows.status(id))},
                   {node.empty() ? "-" : std::string(node)}});
  }
  return table.render(Colours::Off);
}

std::vector<PodId> by_name(const Cluster& cluster, std::span<const PodId> pods) {
  std::vector<std::pair<std::string, PodId>> named;
  for (PodId pod : pods) named.emplace_back(full_name(cluster, pod), pod);
  std::sort(named.begin(), named.end());
  std::vector<PodId> sorted;
  for (const auto& [name, pod] : named) sorted.push_back(pod);
  return sorted;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) text += "/" + parts[i];
  return text;
}

// Those of the gang or the workload that the request names, else all; by name.
struct AskedPods {
  std::vector<PodId> pods;
  std::string error;  // there is no such gang or workload
};

AskedPods asked_pods(const Cluster& cluster, const std::vector<std::string>& gang,
                     const std::vector<std::string>& workload) {
  if (!gang.empty()) {
    GangId id = cluster.find_gang(gang.front(), gang.back());
    if (gang.size() == 2 && id.valid()) return {by_name(cluster, cluster.pods_of(id)), ""};
    return {{}, no_such("gang", joined(gang), gang_names(cluster))};
  }
  if (!workload.empty()) {
    std::string name = joined(workload);
    WorkloadId id = cluster.workloads().workloads().find(name);
    bool known = id.valid() && cluster.workloads().alive(id);
    if (known) return {by_name(cluster, cluster.workloads().pods_of(id)), ""};
    return {{}, no_such("workload", name, workload_names(cluster))};
  }
  return {cluster.pods_by_name(), ""};
}

}  // namespace

HttpResponse answer_pods(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  RowRequest asked{.status = parameters.word("status", kPodStatuses),
                   .queue = "",
                   .words = SearchWords(parameters.text("q"))};
  asked.limit = parameters.count("limit", kMostRows);
  std::vector<std::string> gang = parameters.path("gang");
  std::vector<std::string> workload = parameters.path("workload");
  std::string topology_name = parameters.text("topology");
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  AskedPods wanted = asked_pods(cluster, gang, workload);
  if (!wanted.error.empty()) return error_response(404, wanted.error);
  TopologyId topology = cluster.find_topology(topology_name);
  if (!topology_name.empty() && !topology.valid()) {
    return error_response(404, no_such("topology", topology_name, topology_names(cluster)));
  }
  FoundRows<PodId> found = find_rows(std::move(wanted.pods), PodRows(view), asked);
  if (form == AnswerForm::Text) return text_response(pods_text(view, found));
  return {.body = pods_json(view, found, topology)};
}

}  // namespace trellis
