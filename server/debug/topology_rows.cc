#include <algorithm>
#include <optional>
#include <string_view>

#include "server/debug/topology_answer.h"
#include "server/text/nearest_word.h"
#include "server/view/object_names.h"

namespace trellis {
namespace {

constexpr int kRootLevel = -1;

std::vector<std::string> level_words(const CycleView& view, TopologyId topology) {
  std::vector<std::string> words = {"root", "node"};
  for (const TopologyLevel& level : view.cluster().topologies()[topology].levels) {
    words.emplace_back(view.cluster().vocabulary().strings.view(level.label));
  }
  return words;
}

std::string no_level(const CycleView& view, TopologyId topology, const std::string& word) {
  std::string message = "topology " + view.cluster().topologies()[topology].name +
                        " has no level " + word + ": there are";
  for (const std::string& known : level_words(view, topology)) message += " " + known;
  return message;
}

void add_level(const TopologyTree& tree, int level, TopologyRows& rows) {
  IdRange range = level == kRootLevel ? IdRange{tree.root().value, tree.root().value + 1}
                                      : tree.descendants(rows.parent, level);
  for (uint32_t i = range.first; i < range.last; ++i) rows.domains.emplace_back(i);
}

void add_nodes(const TopologyTree& tree, TopologyRows& rows) {
  std::span<const NodeId> nodes = tree.nodes(rows.parent);
  rows.nodes.assign(nodes.begin(), nodes.end());
  rows.level = "node";
}

// Adds the rows directly below a domain: its children, or the nodes of a domain of the last level.
void add_children(const CycleView& view, const TopologyTree& tree, TopologyRows& rows) {
  int level = tree.level_of(rows.parent);
  if (level + 1 == tree.level_count()) return add_nodes(tree, rows);
  add_level(tree, level + 1, rows);
  const TopologyLevel& record =
      view.cluster().topologies()[rows.topology].levels[static_cast<size_t>(level + 1)];
  rows.level = view.cluster().vocabulary().strings.view(record.label);
}

}  // namespace

TopologyRows choose_rows(const CycleView& view, TopologyId topology, const RowChoice& choice,
                         std::string& error) {
  const Topology& record = view.cluster().topologies()[topology];
  const StringTable& strings = view.cluster().vocabulary().strings;
  const TopologyTree& tree = view.session().snapshot().trees()[topology];
  TopologyRows rows{.topology = topology};
  FoundDomain parent = find_domain_by_name(view.session(), record.name, choice.parent);
  error = parent.error;
  if (!error.empty()) return rows;
  rows.parent = parent.domain.domain;
  if (choice.level == "node") {
    add_nodes(tree, rows);
  } else if (choice.level == "root") {
    add_level(tree, kRootLevel, rows);
    rows.level = "root";
  } else if (!choice.level.empty()) {
    std::optional<int> level = find_level(record, choice.level, strings);
    if (!level) {
      error = no_level(view, topology, choice.level);
    } else if (*level > tree.level_of(rows.parent)) {
      add_level(tree, *level, rows);
      rows.level = strings.view(record.levels[static_cast<size_t>(*level)].label);
    }
  } else if (!choice.parent.empty()) {
    add_children(view, tree, rows);
  } else {
    for (uint32_t i = 0; i < tree.domain_count(); ++i) rows.domains.emplace_back(i);
  }
  return rows;
}

}  // namespace trellis
