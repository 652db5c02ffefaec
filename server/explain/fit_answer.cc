#include "server/explain/fit_answer.h"

#include <string>
#include <utility>

#include "actions/workloads/kept_room.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/text/printable.h"
#include "server/view/decisions.h"
#include "server/view/decisions_table.h"
#include "server/view/explanation.h"
#include "server/view/gang_summary.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

class FitAnswer {
 public:
  FitAnswer(const FitQuestion& question, Engine& engine, const CycleRecord& record)
      : question_(question), engine_(engine), cluster_(engine.cluster()), record_(record) {}

  // The names of those without a place, each with its kind.
  std::vector<std::string> placeless() const {
    std::vector<std::string> names;
    for (GangId gang : question_.gangs) {
      if (!fits(gang)) names.push_back("gang " + full_name(cluster_, gang));
    }
    for (WorkloadId workload : question_.workloads) {
      if (!fits(workload)) names.push_back("workload " + full_name(cluster_, workload));
    }
    return names;
  }

  std::string text(TableForm form) {
    std::vector<std::string> without = placeless();
    std::string text =
        styled(verdict(without), without.empty() ? Style::Good : Style::Bad, form.colours) + "\n";
    for (GangId gang : question_.gangs) {
      Session& session = engine_.scheduler().reopen_without(gang);
      DemandExplanation explanation = explain_gang(session, gang);
      text += "\n" + gang_explanation_text(session, record_, gang, explanation, form);
    }
    for (WorkloadId workload : question_.workloads) {
      with_explanation(workload, [&](Session& session, const WorkloadExplanation& explanation) {
        text += "\n" + workload_explanation_text(session, record_, workload, explanation, form);
      });
    }
    std::string evictions = evictions_table(cluster_, record_, form);
    return evictions.empty() ? text : text + "\n" + evictions;
  }

  void write(DocumentWriter& out) {
    out.begin_object();
    out.field("fits", placeless().empty());
    out.begin_array("gangs");
    for (GangId gang : question_.gangs) {
      Session& session = engine_.scheduler().reopen_without(gang);
      DemandExplanation explanation = explain_gang(session, gang);
      out.begin_object();
      out.field("fits", fits(gang));
      out.key("explanation");
      write_gang_explanation(out, session, record_, gang, explanation);
      out.end_object();
    }
    out.end_array();
    out.begin_array("workloads");
    for (WorkloadId workload : question_.workloads) {
      with_explanation(workload, [&](Session& session, const WorkloadExplanation& explanation) {
        out.begin_object();
        out.field("fits", fits(workload));
        out.key("explanation");
        write_workload_explanation(out, session, record_, workload, explanation);
        out.end_object();
      });
    }
    out.end_array();
    write_evictions(out, cluster_, record_);
    out.end_object();
    out.finish();
  }

 private:
  bool fits(GangId gang) const { return is_placed(record_.gangs[gang].status); }
  bool fits(WorkloadId workload) const {
    WorkloadStatus status = record_.workloads[workload].status;
    return status == WorkloadStatus::Admitted || status == WorkloadStatus::Reserved;
  }

  std::string verdict(const std::vector<std::string>& without) const {
    size_t all = question_.gangs.size() + question_.workloads.size();
    if (all == 1) {
      if (!without.empty()) return "no: " + without.front() + " gets no place";
      bool gang = !question_.gangs.empty();
      return "yes: " +
             (gang ? "gang " + full_name(cluster_, question_.gangs.front())
                   : "workload " + full_name(cluster_, question_.workloads.front())) +
             " gets a place";
    }
    if (without.empty()) return "yes: all " + std::to_string(all) + " get a place";
    return "no: " + std::to_string(without.size()) + " of " + std::to_string(all) +
           (without.size() == 1 ? " gets no place: " : " get no place: ") + names_text(without);
  }

  template <class Use>
  void with_explanation(WorkloadId workload, Use use) {
    Session& session = engine_.scheduler().reopen_without(workload);
    keep_loose_slots(session);
    DaemonRoom daemons(session);
    use(session, explain_workload(session, workload));
  }

  const FitQuestion& question_;
  Engine& engine_;
  const Cluster& cluster_;
  const CycleRecord& record_;
};

}  // namespace

bool answer_fit(const FitQuestion& question, Engine& engine, const CycleRecord& record,
                const AnswerStyle& style, ByteSink& out) {
  FitAnswer answer(question, engine, record);
  if (style.format == OutputFormat::Text) {
    PrintableSink lines(out, style.form.colours);
    lines.write(answer.text(style.form));
  } else {
    write_document(out, style.format, kRecordDepth,
                   [&](DocumentWriter& document) { answer.write(document); });
  }
  return answer.placeless().empty();
}

}  // namespace trellis
