#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/compare/comparison.h"
#include "server/compare/comparison_output.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/manifest/input_files.h"
#include "server/view/object_names.h"

namespace trellis {
namespace {

// Standard input is read once here, since both clusters are read from it.
std::optional<std::string> read_standard_input(const std::vector<std::string>& files) {
  if (std::find(files.begin(), files.end(), "-") == files.end()) return std::nullopt;
  Result<std::string> text = read_input_file({"-", 0});
  // An error is reported when the files are read.
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

// Removes gangs and workloads, with their pods.
class GoneObjects {
 public:
  GoneObjects(Objects& objects, const StringTable& strings, Console& console)
      : objects_(objects), strings_(strings), console_(console) {}

  // False when no object has this name, which has been printed. `word`: gang/NAMESPACE/NAME or
  // workload/NAMESPACE/NAME.
  bool remove(const std::string& word) {
    size_t slash = word.find('/');
    std::string key = word.substr(slash + 1);
    return word.substr(0, slash) == "gang" ? remove_gang(key) : remove_workload(key);
  }

 private:
  template <class Record>
  std::string name_of(const Record& record) const {
    return std::string(strings_.view(record.name_space)) + "/" + record.name;
  }

  template <class Record>
  bool erase(std::string_view kind, const std::string& key, std::vector<Record>& records) {
    bool found =
        std::erase_if(records, [&](const Record& record) { return name_of(record) == key; }) > 0;
    if (found) return true;
    std::vector<std::string> names;
    for (const Record& record : records) names.push_back(name_of(record));
    console_.complain(no_such(kind, key, names));
    return false;
  }

  // A workload whose pods are all removed with the gang is removed, too: it has nothing left to
  // run.
  bool remove_gang(const std::string& key) {
    if (!erase("gang", key, objects_.gangs)) return false;
    std::set<std::string> emptied =
        names_in(&Pod::workload, [&](const Pod& pod) { return strings_.view(pod.gang) == key; });
    std::erase_if(objects_.pods,
                  [&](const PodObject& object) { return strings_.view(object.pod.gang) == key; });
    for (const std::string& name : names_in(&Pod::workload)) emptied.erase(name);
    std::erase_if(objects_.workloads,
                  [&](const Workload& record) { return emptied.contains(name_of(record)); });
    return true;
  }

  bool remove_workload(const std::string& key) {
    if (!erase("workload", key, objects_.workloads)) return false;
    auto is_of = [&](const Pod& pod) {
      return pod.workload.valid() && strings_.view(pod.workload) == key;
    };
    std::set<std::string> emptied = names_in(&Pod::gang, is_of);
    std::erase_if(objects_.pods, [&](const PodObject& object) { return is_of(object.pod); });
    for (const std::string& name : names_in(&Pod::gang)) emptied.erase(name);
    std::erase_if(objects_.gangs,
                  [&](const Gang& record) { return emptied.contains(name_of(record)); });
    return true;
  }

  // The names in a field of pods.
  std::set<std::string> names_in(
      StrId Pod::*field,
      const std::function<bool(const Pod&)>& of = [](const Pod&) { return true; }) const {
    std::set<std::string> names;
    for (const PodObject& object : objects_.pods) {
      StrId name = object.pod.*field;
      if (name.valid() && of(object.pod)) names.emplace(strings_.view(name));
    }
    return names;
  }

  Objects& objects_;
  const StringTable& strings_;
  Console& console_;
};

// Keeps new pods off nodes.
class Cordon {
 public:
  Cordon(Engine& engine, Console& console)
      : engine_(engine), cluster_(engine.cluster()), console_(console) {}

  // False when no node or domain has this name, which has been printed.
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
    console.print(comparison_text(before, after, comparison, console.out_colours));
    return;
  }
  write_document(console.out, arguments.output, kRecordDepth,
                 [&](DocumentWriter& out) { write_comparison(out, before, after, comparison); });
}

}  // namespace

ExitCode run(const WhatifArguments& arguments, Console& console) {
  InputArguments changed = arguments.input;
  changed.files.insert(changed.files.end(), arguments.added.begin(), arguments.added.end());
  std::optional<InputTexts> texts = list_live(changed, console);
  if (!texts) return kBadInput;
  texts->standard_input = read_standard_input(changed.files);
  LoadOptions load{.texts = &*texts};
  load.change = [&](Objects& objects, const StringTable& strings) {
    GoneObjects gone(objects, strings, console);
    return std::all_of(arguments.removed.begin(), arguments.removed.end(),
                       [&](const std::string& word) { return gone.remove(word); });
  };
  std::optional<LoadedCluster> after = load_cluster(changed, arguments.cycle, load, console);
  if (!after) return kBadInput;
  Cordon cordon(*after->engine, console);
  for (const std::string& word : arguments.cordons) {
    if (!cordon.cordon(word)) return kBadInput;
  }
  // The diagnostics were printed with the change already; the time is the same in both.
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
