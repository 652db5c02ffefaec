#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/commands.h"
#include "server/cli/input.h"
#include "server/manifest/input_files.h"
#include "server/output/comparison_output.h"
#include "server/output/document_output.h"
#include "server/output/json_writer.h"
#include "server/output/object_names.h"
#include "server/simulate/comparison.h"

namespace trellis {
namespace {

// Both clusters are read from it, so it is read once.
std::optional<std::string> read_standard_input(const std::vector<std::string>& files) {
  if (std::find(files.begin(), files.end(), "-") == files.end()) return std::nullopt;
  return read_input_file({"-", 0}).value_or(std::string());
}

// False, and said so, when there is no such gang. `word`: gang/NAMESPACE/NAME.
bool remove_gang(const std::string& word, Objects& objects, const StringTable& strings,
                 Console& console) {
  std::string key = word.substr(word.find('/') + 1);
  auto name_of = [&](const Gang& gang) {
    return std::string(strings.view(gang.name_space)) + "/" + gang.name;
  };
  if (std::erase_if(objects.gangs, [&](const Gang& gang) { return name_of(gang) == key; }) > 0) {
    std::erase_if(objects.pods,
                  [&](const auto& object) { return strings.view(object.pod.gang) == key; });
    return true;
  }
  std::vector<std::string> names;
  for (const Gang& gang : objects.gangs) names.push_back(name_of(gang));
  console.complain(no_such("gang", key, names));
  return false;
}

// Keeps new pods off nodes.
class Cordon {
 public:
  Cordon(Engine& engine, Console& console)
      : engine_(engine), cluster_(engine.cluster()), console_(console) {}

  // False, and said so, when there is nothing of that name.
  bool cordon(const std::string& word) {
    size_t slash = word.find('/');
    if (slash == std::string::npos) {
      NodeId node = cluster_.find_node(word);
      if (!node.valid()) return complain(no_such("node", word, node_names(cluster_)));
      set_unschedulable(node);
      return true;
    }
    std::vector<std::string> path;
    for (size_t at = slash; at != std::string::npos;) {
      size_t next = word.find('/', at + 1);
      path.push_back(word.substr(at + 1, next == std::string::npos ? next : next - at - 1));
      at = next;
    }
    const Session& session = engine_.scheduler().session();
    FoundDomain found = find_domain_by_name(session, word.substr(0, slash), path);
    if (!found.error.empty()) return complain(found.error);
    std::span<const NodeId> nodes = nodes_of(session, found.domain);
    for (NodeId node : std::vector<NodeId>(nodes.begin(), nodes.end())) set_unschedulable(node);
    return true;
  }

 private:
  void set_unschedulable(NodeId id) {
    Node node = cluster_.nodes()[id];
    node.unschedulable = true;
    cluster_.upsert(std::move(node));
  }

  bool complain(const std::string& message) {
    console_.complain(message);
    return false;
  }

  Engine& engine_;
  Cluster& cluster_;
  Console& console_;
};

void print(const WhatifArguments& arguments, const ComparedCycle& before,
           const ComparedCycle& after, Console& console) {
  Comparison comparison = compare(before, after);
  if (arguments.output == OutputFormat::Table) {
    console.out.write(comparison_text(before, after, comparison, console.out_colours));
    return;
  }
  write_document(console.out, arguments.output, kRecordDepth,
                 [&](DocumentWriter& out) { write_comparison(out, before, after, comparison); });
}

}  // namespace

ExitCode run(const WhatifArguments& arguments, Console& console) {
  InputArguments changed = arguments.input;
  changed.files.insert(changed.files.end(), arguments.added.begin(), arguments.added.end());
  LoadOptions load{.standard_input = read_standard_input(changed.files)};
  load.change = [&](Objects& objects, const StringTable& strings) {
    return std::all_of(
        arguments.removed.begin(), arguments.removed.end(),
        [&](const std::string& word) { return remove_gang(word, objects, strings, console); });
  };
  std::optional<LoadedCluster> after = load_cluster(changed, arguments.cycle, load, console);
  if (!after) return kBadInput;
  Cordon cordon(*after->engine, console);
  for (const std::string& word : arguments.cordons) {
    if (!cordon.cordon(word)) return kBadInput;
  }
  // What is wrong without the change has been said with it; and time is the same.
  load.listing = Listing::None;
  load.change = nullptr;
  CycleArguments cycle = arguments.cycle;
  cycle.now = after->now;
  std::optional<LoadedCluster> before = load_cluster(arguments.input, cycle, load, console);
  if (!before) return kBadInput;
  auto record_before = before->engine->run(before->now, cycle.cycles);
  auto record_after = after->engine->run(after->now, cycle.cycles);
  print(arguments, {*before->engine, *record_before}, {*after->engine, *record_after}, console);
  return after->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
