#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/app/option_values.h"
#include "server/document/document_output.h"
#include "server/view/gpu_output.h"
#include "server/view/topology_output.h"
#include "server/wording/reason_text.h"
#include "session/explain/domain_ref.h"
#include "session/explain/gpu_report.h"
#include "session/explain/topology_report.h"
#include "topology/tree.h"

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

// False when no topology has this level, which has been printed.
bool has_level(const std::string& level, const std::vector<TopologyReport>& topologies,
               Console& console) {
  std::vector<std::string> names;
  for (const TopologyReport& topology : topologies) {
    for (const std::string& label : topology.levels) {
      if (label == level || short_level(label) == level) return true;
      names.emplace_back(short_level(label));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string_view> words(names.begin(), names.end());
  console.complain(names.empty() ? "the input holds no topology"
                                 : unknown_word("level", level, words));
  return false;
}

// How far apart two nodes or domains are in a topology.
struct TopologyDistance {
  std::string topology;
  int edges = 0;
  DomainName shared;  // the lowest domain that both are in
};

struct DistantPlace {
  NodeId node;  // kNone: the domain itself
  DomainId domain;
};

std::vector<std::string_view> split_place(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::optional<DistantPlace> find_distant_place(const Session& session, TopologyId topology,
                                               std::string_view name) {
  const TopologyTree& tree = session.snapshot().tree(topology);
  NodeId node = session.cluster().find_node(name);
  if (node.valid() && tree.contains(node)) return DistantPlace{node, tree.domain_of(node)};
  std::vector<std::string_view> path = split_place(name);
  DomainId domain = find_domain(session, topology, path);
  if (!domain.valid() && path.size() > 1 &&
      path[0] == session.cluster().topologies()[topology].name) {
    domain = find_domain(session, topology, std::span(path).subspan(1));
  }
  if (!domain.valid()) return std::nullopt;
  return DistantPlace{NodeId(), domain};
}

int edges_between(const TopologyTree& tree, const DistantPlace& a, const DistantPlace& b) {
  if (a.node.valid() && b.node.valid()) return tree.distance(a.node, b.node);
  if (a.node.valid()) return tree.distance(a.node, b.domain);
  if (b.node.valid()) return tree.distance(b.node, a.domain);
  return tree.distance(a.domain, b.domain);
}

DomainId shared_domain(const TopologyTree& tree, DomainId a, DomainId b) {
  while (a != b) {
    if (tree.level_of(a) >= tree.level_of(b)) {
      a = tree.parent(a);
    } else {
      b = tree.parent(b);
    }
  }
  return a;
}

// Of the topologies that hold both; by name. `only`: no other topology; empty: all. A place is the
// name of a node, or a path of domains (block/rack), which the topology may precede (hall/block).
std::vector<TopologyDistance> distances(const Session& session, std::string_view only,
                                        std::string_view from, std::string_view to) {
  std::vector<TopologyDistance> found;
  for (uint32_t i = 0; i < session.cluster().topologies().size(); ++i) {
    TopologyId topology(i);
    if (!session.cluster().alive(topology)) continue;
    const std::string& name = session.cluster().topologies()[topology].name;
    if (!only.empty() && name != only) continue;
    std::optional<DistantPlace> a = find_distant_place(session, topology, from);
    std::optional<DistantPlace> b = find_distant_place(session, topology, to);
    if (!a || !b) continue;
    const TopologyTree& tree = session.snapshot().tree(topology);
    DomainId shared = shared_domain(tree, a->domain, b->domain);
    found.push_back({name, edges_between(tree, *a, *b), name_of(session, {topology, shared})});
  }
  std::sort(found.begin(), found.end(), [](const TopologyDistance& a, const TopologyDistance& b) {
    return a.topology < b.topology;
  });
  return found;
}

// "topology hall: a and b are 2 edges apart, in block b1", a line each.
std::string distance_lines(const std::vector<TopologyDistance>& distances, std::string_view from,
                           std::string_view to) {
  std::string text;
  for (const TopologyDistance& one : distances) {
    text.append("topology ").append(one.topology).append(": ").append(from).append(" and ");
    text.append(to).append(" are ").append(std::to_string(one.edges));
    text += one.edges == 1 ? " edge apart, in " : " edges apart, in ";
    if (one.shared.path.empty()) {
      text += "no domain together\n";
      continue;
    }
    const std::string& level = one.shared.level;
    text.append(level.substr(level.rfind('/') + 1)).append(" ");
    for (size_t i = 0; i < one.shared.path.size(); ++i) {
      text.append(i > 0 ? "/" : "").append(one.shared.path[i]);
    }
    text += "\n";
  }
  return text;
}

void write_distances(DocumentWriter& out, const std::vector<TopologyDistance>& distances,
                     std::string_view from, std::string_view to) {
  out.begin_object();
  out.begin_array("distances");
  for (const TopologyDistance& one : distances) {
    out.begin_object();
    out.field("topology", one.topology);
    out.field("from", from);
    out.field("to", to);
    out.field("edges", one.edges);
    if (!one.shared.path.empty()) {
      out.field("level", one.shared.level);
      out.begin_array("domain");
      for (const std::string& value : one.shared.path) out.text(value);
      out.end_array();
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
}

ExitCode print_distances(const TopologyArguments& arguments, const Session& session,
                         Console& console) {
  const std::string& from = arguments.distance[0];
  const std::string& to = arguments.distance[1];
  std::vector<TopologyDistance> found = distances(session, arguments.name, from, to);
  if (found.empty()) {
    console.complain("no topology has both a node or domain " + from + " and one " + to);
    return kBadInput;
  }
  if (arguments.output == OutputFormat::Tree) {
    console.print(distance_lines(found, from, to));
  } else {
    write_document(console.out, arguments.output, kDomainDepth,
                   [&](DocumentWriter& out) { write_distances(out, found, from, to); });
  }
  return kDone;
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
  const std::string& level = arguments.view.level;
  if (!level.empty() && !has_level(level, topologies, console)) return kBadInput;
  if (!arguments.distance.empty()) {
    ExitCode code = print_distances(arguments, engine.scheduler().session(), console);
    return loaded->has_errors ? kBadInput : code;
  }
  // Of one topology out of several, or of one level, only the domains are requested.
  std::optional<GpuReport> gpus;
  if (arguments.name.empty() && level.empty()) gpus = report_gpus(engine.scheduler().session());
  if (arguments.output == OutputFormat::Tree) {
    console.print(
        topologies.empty()
            ? cluster_line(engine.cluster(), *record, console.glyphs, console.out_colours)
            : topology_tree(topologies, console.glyphs, console.out_colours, arguments.view));
    if (gpus && gpus->total > 0) {
      console.print("\n" + gpu_lines(engine.scheduler().session(), *gpus, console.out_colours));
    }
  } else {
    write_document(console.out, arguments.output, kDomainDepth, [&](DocumentWriter& out) {
      out.begin_object();
      write_topologies(out, engine.vocabulary().resources, topologies);
      if (gpus) write_gpus(out, engine.scheduler().session(), *gpus);
      out.end_object();
      out.finish();
    });
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
