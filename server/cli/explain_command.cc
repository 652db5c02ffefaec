#include "server/cli/explain_command.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/cli/document_output.h"
#include "server/cli/input.h"
#include "server/manifest/nearest_word.h"
#include "server/output/explanation.h"
#include "session/explain.h"

namespace trellis {
namespace {

constexpr size_t kExpandedDepth = 2;  // a node, a domain a line

// Names of every pod or gang, as `namespace/name`.
std::vector<std::string> names_of(const Cluster& cluster, ExplainArguments::Kind kind) {
  const StringTable& strings = cluster.vocabulary().strings;
  std::vector<std::string> names;
  auto add = [&](StrId name_space, const std::string& name) {
    names.push_back(std::string(strings.view(name_space)).append("/").append(name));
  };
  if (kind == ExplainArguments::Kind::Pod) {
    for (PodId id : cluster.pods_by_name()) {
      add(cluster.pods()[id].pod.name_space, cluster.pods()[id].pod.name);
    }
  } else {
    for (GangId id : cluster.gangs_by_name()) {
      add(cluster.gangs()[id].name_space, cluster.gangs()[id].name);
    }
  }
  return names;
}

ExitCode not_found(const ExplainArguments& arguments, const Cluster& cluster, Console& console) {
  std::vector<std::string> names = names_of(cluster, arguments.kind);
  std::vector<std::string_view> words(names.begin(), names.end());
  std::string wanted = arguments.name_space + "/" + arguments.name;
  std::string kind = arguments.kind == ExplainArguments::Kind::Pod ? "pod" : "gang";
  std::string message = "the input holds no " + kind + " " + wanted;
  if (std::string nearest = nearest_word(wanted, words); !nearest.empty()) {
    message += ": did you mean " + nearest + "?";
  }
  console.complain(message);
  return kBadInput;
}

void explain(PodId pod, OutputFormat format, Engine& engine, const CycleRecord& record,
             Console& console) {
  PodExplanation explanation = explain_pod(engine.scheduler(), pod);
  if (format == OutputFormat::Text) {
    console.out.write(
        pod_explanation_text(engine.cluster(), record, pod, explanation, console.out_colours));
    return;
  }
  write_document(console.out, format, kExpandedDepth, [&](DocumentWriter& out) {
    write_pod_explanation(out, engine.cluster(), pod, explanation);
  });
}

void explain(GangId gang, OutputFormat format, Engine& engine, const CycleRecord& record,
             Console& console) {
  std::vector<DomainJudgement> domains = explain_gang(engine.scheduler(), gang);
  if (format == OutputFormat::Text) {
    console.out.write(
        gang_explanation_text(engine.cluster(), record, gang, domains, console.out_colours));
    return;
  }
  write_document(console.out, format, kExpandedDepth, [&](DocumentWriter& out) {
    write_gang_explanation(out, engine.cluster(), record, gang, domains);
  });
}

}  // namespace

ExitCode run_explain(const ExplainArguments& arguments, Console& console) {
  std::optional<LoadedCluster> loaded =
      load_cluster(arguments.input, arguments.cycle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  std::shared_ptr<const CycleRecord> record = engine.run(loaded->now, arguments.cycle.cycles);
  PodId pod = engine.cluster().find_pod(arguments.name_space, arguments.name);
  GangId gang = engine.cluster().find_gang(arguments.name_space, arguments.name);
  if (arguments.kind == ExplainArguments::Kind::Pod && pod.valid()) {
    explain(pod, arguments.output, engine, *record, console);
  } else if (arguments.kind == ExplainArguments::Kind::Gang && gang.valid()) {
    explain(gang, arguments.output, engine, *record, console);
  } else {
    return not_found(arguments, engine.cluster(), console);
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
