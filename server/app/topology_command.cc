#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/app/option_values.h"
#include "server/document/document_output.h"
#include "server/view/topology_output.h"
#include "session/explain/topology_report.h"

namespace trellis {
namespace {

constexpr size_t kDomainDepth = 4;  // each domain is one line

// False when no topology has this name, which has been printed.
bool keep_only(const std::string& name, std::vector<TopologyReport>& topologies, Console& console) {
  std::vector<std::string> names;
  for (const TopologyReport& topology : topologies) names.push_back(topology.name);
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::vector<std::string_view> words(names.begin(), names.end());
    console.complain(names.empty() ? "the input holds no topology"
                                   : unknown_word("topology", name, words));
    return false;
  }
  std::erase_if(topologies, [&](const TopologyReport& report) { return report.name != name; });
  return true;
}

}  // namespace

ExitCode run(const TopologyArguments& arguments, Console& console) {
  // No actions, so that the tree is shown as the cluster was read.
  CycleArguments idle{.actions = std::vector<std::string>()};
  std::optional<LoadedCluster> loaded = load_cluster(arguments.input, idle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  std::shared_ptr<const CycleRecord> record = engine.run(loaded->now, 1);
  std::vector<TopologyReport> topologies = report_topologies(engine.scheduler());
  if (!arguments.name.empty() && !keep_only(arguments.name, topologies, console)) return kBadInput;
  if (arguments.output == OutputFormat::Tree) {
    console.print(topologies.empty()
                      ? cluster_line(engine.cluster(), *record, console.glyphs, console.out_colours)
                      : topology_tree(topologies, console.glyphs, console.out_colours));
  } else {
    write_document(console.out, arguments.output, kDomainDepth, [&](DocumentWriter& out) {
      write_topologies(out, engine.vocabulary().resources, topologies);
    });
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
