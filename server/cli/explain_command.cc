#include "server/cli/explain_command.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/cli/document_output.h"
#include "server/cli/input.h"
#include "server/cli/object_names.h"
#include "server/output/explanation.h"
#include "server/output/full_name.h"
#include "server/output/room_explanation.h"

namespace trellis {
namespace {

constexpr size_t kExpandedDepth = 2;  // a node, a domain a line

// One question about one finished cycle.
class Question {
 public:
  Question(const ExplainArguments& arguments, Engine& engine, const CycleRecord& record,
           Console& console)
      : arguments_(arguments),
        engine_(engine),
        cluster_(engine.cluster()),
        record_(record),
        console_(console) {}

  // False, and said so, when there is nothing of that name.
  bool answer() {
    switch (arguments_.kind) {
      case ExplainArguments::Kind::Pod:
        return about_pod(cluster_.find_pod(arguments_.name_space, arguments_.name));
      case ExplainArguments::Kind::Gang:
        return about_gang(cluster_.find_gang(arguments_.name_space, arguments_.name));
      case ExplainArguments::Kind::Node:
        return about_node(cluster_.find_node(arguments_.name));
      case ExplainArguments::Kind::Domain:
        return about_domain();
    }
    return false;
  }

 private:
  bool is_text() const { return arguments_.output == OutputFormat::Text; }
  void document(const std::function<void(DocumentWriter&)>& write) {
    write_document(console_.out, arguments_.output, kExpandedDepth, write);
  }

  bool about_pod(PodId pod) {
    if (!pod.valid()) return complain_about("pod", pod_names(cluster_));
    Session& session = engine_.scheduler().reopen_without(cluster_.pods()[pod].gang);
    PodExplanation explanation = explain_pod(session, pod);
    if (is_text()) {
      console_.out.write(
          pod_explanation_text(session, record_, pod, explanation, console_.out_colours));
    } else {
      document([&](DocumentWriter& out) { write_pod_explanation(out, session, pod, explanation); });
    }
    return true;
  }

  bool about_gang(GangId gang) {
    if (!gang.valid()) return complain_about("gang", gang_names(cluster_));
    Session& session = engine_.scheduler().reopen_without(gang);
    GangExplanation explanation = explain_gang(session, gang);
    if (is_text()) {
      console_.out.write(
          gang_explanation_text(session, record_, gang, explanation, console_.out_colours));
    } else {
      document([&](DocumentWriter& out) {
        write_gang_explanation(out, session, record_, gang, explanation);
      });
    }
    return true;
  }

  bool about_node(NodeId node) {
    if (!node.valid()) {
      console_.complain(no_such("node", arguments_.name, node_names(cluster_)));
      return false;
    }
    Session& session = engine_.scheduler().session();
    NodeExplanation explanation = explain_node(session, node);
    if (is_text()) {
      console_.out.write(node_explanation_text(session, record_, explanation, console_.glyphs,
                                               console_.out_colours));
    } else {
      document(
          [&](DocumentWriter& out) { write_node_explanation(out, session, record_, explanation); });
    }
    return true;
  }

  bool about_domain() {
    Session& session = engine_.scheduler().session();
    FoundDomain found = find_domain_by_name(session, arguments_.name, arguments_.path);
    if (!found.error.empty()) {
      console_.complain(found.error);
      return false;
    }
    DomainExplanation explanation =
        explain_domain(session, found.domain.topology, found.domain.domain);
    if (is_text()) {
      console_.out.write(domain_explanation_text(session, record_, explanation, console_.glyphs,
                                                 console_.out_colours));
    } else {
      document([&](DocumentWriter& out) {
        write_domain_explanation(out, session, record_, explanation);
      });
    }
    return true;
  }

  bool complain_about(std::string_view kind, const std::vector<std::string>& names) {
    console_.complain(no_such(kind, arguments_.name_space + "/" + arguments_.name, names));
    return false;
  }

  const ExplainArguments& arguments_;
  Engine& engine_;
  const Cluster& cluster_;
  const CycleRecord& record_;
  Console& console_;
};

}  // namespace

ExitCode run_explain(const ExplainArguments& arguments, Console& console) {
  std::optional<LoadedCluster> loaded =
      load_cluster(arguments.input, arguments.cycle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  std::shared_ptr<const CycleRecord> record = engine.run(loaded->now, arguments.cycle.cycles);
  if (!Question(arguments, engine, *record, console).answer()) return kBadInput;
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
