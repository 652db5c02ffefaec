#include "server/explain/explain_answer.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "actions/workloads/kept_room.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/text/printable.h"
#include "server/view/cluster_queue_output.h"
#include "server/view/explanation.h"
#include "server/view/name_search.h"
#include "server/view/object_names.h"
#include "server/view/queue_output.h"
#include "server/view/room_explanation.h"

namespace trellis {
namespace {

class Answer {
 public:
  Answer(const ExplainQuestion& question, Engine& engine, const CycleRecord& record,
         const AnswerStyle& style, ByteSink& out)
      : question_(question),
        engine_(engine),
        cluster_(engine.cluster()),
        record_(record),
        style_(style),
        out_(out) {}

  std::string write() {
    switch (question_.kind) {
      case ExplainQuestion::Kind::Pod:
        return about_pod(cluster_.find_pod(question_.name_space, question_.name));
      case ExplainQuestion::Kind::Gang:
        return about_gang(cluster_.find_gang(question_.name_space, question_.name));
      case ExplainQuestion::Kind::Workload:
        return about_workload(
            cluster_.workloads().workloads().find(question_.name_space + "/" + question_.name));
      case ExplainQuestion::Kind::Node:
        return about_node(cluster_.find_node(question_.name));
      case ExplainQuestion::Kind::Domain:
        return about_domain();
      case ExplainQuestion::Kind::Queue:
        return about_queue(cluster_.find_queue(question_.name));
    }
    return "";
  }

 private:
  bool is_text() const { return style_.format == OutputFormat::Text; }
  void document(const std::function<void(DocumentWriter&)>& write) {
    write_document(out_, style_.format, kRecordDepth, write);
  }
  std::string no_such_named(std::string_view kind, const std::vector<std::string>& names) const {
    return no_such(kind, question_.name_space + "/" + question_.name, names);
  }

  std::string about_pod(PodId pod) {
    if (!pod.valid()) return no_such_named("pod", pod_names(cluster_));
    Session& session = engine_.scheduler().reopen_without(cluster_.pods()[pod].gang);
    PodExplanation explanation = explain_pod(session, pod);
    if (is_text()) {
      out_.write(pod_explanation_text(session, record_, pod, explanation, style_.form));
    } else {
      document([&](DocumentWriter& out) { write_pod_explanation(out, session, pod, explanation); });
    }
    return "";
  }

  std::string about_gang(GangId gang) {
    if (!gang.valid()) return no_such_named("gang", gang_names(cluster_));
    Session& session = engine_.scheduler().reopen_without(gang);
    DemandExplanation explanation = explain_gang(session, gang);
    if (is_text()) {
      out_.write(gang_explanation_text(session, record_, gang, explanation, style_.form));
    } else {
      document([&](DocumentWriter& out) {
        write_gang_explanation(out, session, record_, gang, explanation);
        out.finish();
      });
    }
    return "";
  }

  std::string about_workload(WorkloadId workload) {
    if (!workload.valid() || !cluster_.workloads().alive(workload)) {
      return no_such_named("workload", workload_names(cluster_));
    }
    Session& session = engine_.scheduler().reopen_without(workload);
    keep_loose_slots(session);
    DaemonRoom daemons(session);
    WorkloadExplanation explanation = explain_workload(session, workload);
    if (is_text()) {
      out_.write(workload_explanation_text(session, record_, workload, explanation, style_.form));
    } else {
      document([&](DocumentWriter& out) {
        write_workload_explanation(out, session, record_, workload, explanation);
        out.finish();
      });
    }
    return "";
  }

  std::string about_node(NodeId node) {
    if (!node.valid()) return no_such("node", question_.name, node_names(cluster_));
    Session& session = engine_.scheduler().session();
    NodeExplanation explanation = explain_node(session, node);
    if (is_text()) {
      out_.write(node_explanation_text(session, record_, explanation, style_.glyphs, style_.form));
    } else {
      document(
          [&](DocumentWriter& out) { write_node_explanation(out, session, record_, explanation); });
    }
    return "";
  }

  std::string about_queue(QueueId queue) {
    if (!queue.valid()) return about_cluster_queue();
    Session& session = engine_.scheduler().session();
    std::vector<QueueReport> lines = report_queues(session);
    auto found = std::find_if(lines.begin(), lines.end(),
                              [&](const QueueReport& line) { return line.queue == queue; });
    if (found == lines.end()) {
      return "queue " + question_.name +
             " is left out: all queues share on one level "
             "(queues.fullHierarchy: false), and it has queues below it";
    }
    if (is_text()) {
      out_.write(queue_explanation_text(session, record_, *found, style_.form));
    } else {
      document(
          [&](DocumentWriter& out) { write_queue_explanation(out, session, record_, *found); });
    }
    return "";
  }

  std::string about_cluster_queue() {
    std::vector<ClusterQueueReport> lines = report_cluster_queues(engine_.scheduler().session());
    auto found = std::find_if(lines.begin(), lines.end(), [&](const ClusterQueueReport& line) {
      return line.queue.valid() && line.name == question_.name;
    });
    if (found == lines.end()) {
      std::vector<std::string> names = queue_names(cluster_);
      for (std::string& name : cluster_queue_names(cluster_)) names.push_back(std::move(name));
      return no_such("queue", question_.name, names);
    }
    if (is_text()) {
      out_.write(cluster_queue_explanation_text(cluster_, record_, *found, style_.form));
    } else {
      document([&](DocumentWriter& out) {
        write_cluster_queue_explanation(out, cluster_, record_, *found);
      });
    }
    return "";
  }

  std::string about_domain() {
    Session& session = engine_.scheduler().session();
    FoundDomain found = find_domain_by_name(session, question_.name, question_.path);
    if (!found.error.empty()) return found.error;
    DomainExplanation explanation =
        explain_domain(session, found.domain.topology, found.domain.domain);
    if (is_text()) {
      out_.write(
          domain_explanation_text(session, record_, explanation, style_.glyphs, style_.form));
    } else {
      document([&](DocumentWriter& out) {
        write_domain_explanation(out, session, record_, explanation);
      });
    }
    return "";
  }

  const ExplainQuestion& question_;
  Engine& engine_;
  const Cluster& cluster_;
  const CycleRecord& record_;
  const AnswerStyle& style_;
  ByteSink& out_;
};

}  // namespace

std::string explain(const ExplainQuestion& question, Engine& engine, const CycleRecord& record,
                    const AnswerStyle& style, ByteSink& out) {
  if (style.format != OutputFormat::Text) {
    return Answer(question, engine, record, style, out).write();
  }
  PrintableSink lines(out, style.form.colours);
  return Answer(question, engine, record, style, lines).write();
}

}  // namespace trellis
