#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/explain/fit_answer.h"
#include "server/view/object_names.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

bool holds(const std::vector<std::string>& sorted, const std::string& name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

// The gangs and workloads that only `after` has. A gang whose pods belong to such a workload is not
// listed besides it.
FitQuestion what_comes(const Cluster& before, const Cluster& after) {
  std::vector<std::string> gangs = gang_names(before);
  std::vector<std::string> workloads = workload_names(before);
  std::sort(gangs.begin(), gangs.end());
  std::sort(workloads.begin(), workloads.end());
  FitQuestion question;
  std::set<WorkloadId> coming;
  const WorkloadRecords& records = after.workloads();
  for (WorkloadId id : records.by_name(after.vocabulary().strings)) {
    if (holds(workloads, full_name(after, id))) continue;
    question.workloads.push_back(id);
    coming.insert(id);
  }
  for (GangId gang : after.gangs_by_name()) {
    if (holds(gangs, full_name(after, gang))) continue;
    bool of_workload = std::ranges::any_of(after.pods_of(gang), [&](PodId pod) {
      return coming.contains(after.pods()[pod].workload);
    });
    if (!of_workload) question.gangs.push_back(gang);
  }
  return question;
}

}  // namespace

ExitCode run(const FitArguments& arguments, Console& console) {
  InputArguments whole = arguments.input;
  whole.files.insert(whole.files.end(), arguments.added.begin(), arguments.added.end());
  std::optional<InputTexts> texts = read_once(whole, console);
  if (!texts) return kBadInput;
  LoadOptions load{.texts = &*texts};
  std::optional<LoadedCluster> after = load_cluster(whole, arguments.cycle, load, console);
  if (!after) return kBadInput;
  // The diagnostics were printed with the gangs already.
  load.listing = Listing::None;
  std::optional<LoadedCluster> before =
      load_cluster(arguments.input, arguments.cycle, load, console);
  if (!before) return kBadInput;
  FitQuestion question = what_comes(before->engine->cluster(), after->engine->cluster());
  if (question.gangs.empty() && question.workloads.empty()) {
    console.complain(names_text(arguments.added) +
                     " has no gang and no workload that the cluster does not have already");
    return kBadInput;
  }
  Engine& engine = *after->engine;
  std::shared_ptr<const CycleRecord> record = engine.run(after->now, arguments.cycle.cycles);
  AnswerStyle style{arguments.output, console.glyphs, console.form(arguments.width)};
  bool fits = answer_fit(question, engine, *record, style, console.out);
  if (after->has_errors) return kBadInput;
  return fits ? kDone : kNo;
}

}  // namespace trellis
