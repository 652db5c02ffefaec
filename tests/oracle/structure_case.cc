#include "tests/oracle/structure_case.h"

#include <algorithm>
#include <set>

#include "tests/support/random.h"

namespace trellis::oracle {
namespace {

using Part = StructureCase::Part;

std::string level_name(const StructureCase& made, int level) {
  return level < 0 ? "" : made.levels[static_cast<size_t>(level)];
}

// A level from `above` down, or none.
int pick_level(Random& random, const StructureCase& made, int above, uint32_t percent) {
  if (!random.chance(percent)) return -1;
  int deepest = static_cast<int>(made.levels.size()) - 1;
  return static_cast<int>(random.between(std::max(above, 0), deepest));
}

int inherited(const StructureCase& made, int part) {
  int level = -1;
  for (int at = part; at >= 0; at = made.parts[static_cast<size_t>(at)].parent) {
    level = std::max(level, made.parts[static_cast<size_t>(at)].required);
  }
  return level;
}

void add_nodes(Random& random, const StructureLimits& limits, StructureCase& made) {
  size_t depth = 1 + random.below(3);
  const char* names[] = {"block", "rack", "kubernetes.io/hostname"};
  for (size_t i = 0; i < depth; ++i) made.levels.push_back(names[i]);
  int64_t count = random.between(2, limits.nodes);
  for (int64_t i = 0; i < count; ++i) {
    StructureCase::Node node;
    node.name = "n" + std::to_string(i);
    node.gpus = static_cast<int>(random.between(0, 4));
    node.path.push_back("b" + std::to_string(random.below(2)));
    if (depth > 1) node.path.push_back("r" + std::to_string(random.below(2)));
    if (depth > 2) node.path.push_back(node.name);
    if (limits.grows && random.chance(15)) node.path.resize(random.below(uint32_t(depth)));
    made.nodes.push_back(std::move(node));
  }
}

Part make_part(Random& random, const StructureCase& made, const std::string& name, int parent,
               bool leaf, const StructureLimits& limits) {
  Part part;
  part.name = name;
  part.parent = parent;
  int above = parent < 0 ? -1 : inherited(made, parent);
  if (limits.grows && random.chance(20)) above = -1;
  part.required = pick_level(random, made, above, leaf ? 60 : 40);
  int scope = std::max(above, part.required);
  part.preferred = pick_level(random, made, scope, 25);
  if (!leaf || !limits.segments || !random.chance(60)) return part;
  int level = pick_level(random, made, scope, 100);
  int size = static_cast<int>(random.between(1, 3));
  if (random.chance(30)) part.layers.push_back({size * 2, level});
  part.layers.push_back({size, pick_level(random, made, level, 100)});
  if (part.layers.size() == 2 && part.layers[1].level == level)
    part.layers.erase(part.layers.begin());
  return part;
}

// A domain's identity: the path down to the level.
std::vector<std::string> domain(const StructureCase& made, int node, int level) {
  const auto& path = made.nodes[static_cast<size_t>(node)].path;
  return {path.begin(), path.begin() + level + 1};
}

bool share_domain(const StructureCase& made, int a, int b, int level) {
  const auto& x = made.nodes[static_cast<size_t>(a)].path;
  const auto& y = made.nodes[static_cast<size_t>(b)].path;
  if (std::min(x.size(), y.size()) <= static_cast<size_t>(level)) return false;
  return std::equal(x.begin(), x.begin() + level + 1, y.begin());
}

bool within(const StructureCase& made, size_t part, size_t above) {
  int at = static_cast<int>(part);
  while (at > static_cast<int>(above)) at = made.parts[static_cast<size_t>(at)].parent;
  return at == static_cast<int>(above);
}

// Whether two members may stand where they do, one beside the other; the same one twice: at all.
bool agree(const StructureCase& made, const Assignment& at, size_t a, size_t b) {
  const auto& x = made.members[a];
  const auto& y = made.members[b];
  for (size_t i = 0; i < made.parts.size(); ++i) {
    const Part& part = made.parts[i];
    if (part.required < 0 || !within(made, x.part, i) || !within(made, y.part, i)) continue;
    if (!share_domain(made, at[a], at[b], part.required)) return false;
  }
  if (x.part != y.part) return true;
  for (const auto& layer : made.parts[x.part].layers) {
    bool together = x.position / layer.size == y.position / layer.size;
    if (together && !share_domain(made, at[a], at[b], layer.level)) return false;
  }
  return true;
}

// Whether the last of them may stand where it does beside those before it.
bool last_holds(const StructureCase& made, const Assignment& at, size_t last) {
  if (!agree(made, at, last, last)) return false;
  int left = made.nodes[static_cast<size_t>(at[last])].gpus - made.members[last].gpus;
  for (size_t b = 0; b < last; ++b) {
    if (at[b] == at[last]) left -= made.members[b].gpus;
  }
  if (left < 0) return false;
  for (size_t b = 0; b < last; ++b) {
    if (!agree(made, at, last, b)) return false;
  }
  return true;
}

// The level whose domains count for a part; -1: none does.
int counted_level(const StructureCase& made, size_t part) {
  const Part& described = made.parts[part];
  bool asks = described.required >= 0 || described.preferred >= 0 || !described.layers.empty();
  if (!asks) return -1;
  if (described.preferred >= 0) return described.preferred;
  if (!described.layers.empty()) return described.layers.back().level;
  int deepest = static_cast<int>(made.levels.size()) - 1;
  return made.levels.size() == 3 ? deepest - 1 : deepest;
}

}  // namespace

std::string StructureCase::text() const {
  std::string text;
  for (const Node& node : nodes) {
    text += node.name + " free " + std::to_string(node.gpus) + " at";
    for (const std::string& value : node.path) text += " " + value;
    text += "\n";
  }
  for (const Part& part : parts) {
    text += "part " + part.name + " of at least " + std::to_string(part.least) + " below " +
            std::to_string(part.parent) + " requires " + level_name(*this, part.required) +
            " prefers " + level_name(*this, part.preferred);
    for (const Layer& layer : part.layers) {
      text +=
          " segments of " + std::to_string(layer.size) + " in " + level_name(*this, layer.level);
    }
    text += "\n";
  }
  for (const Member& member : members) {
    text += member.name + " of " + parts[member.part].name + " asks " +
            std::to_string(member.gpus) + "\n";
  }
  return text;
}

StructureCase structure_case(uint64_t seed, const StructureLimits& limits) {
  Random random(seed);
  StructureCase made;
  add_nodes(random, limits, made);
  bool single = limits.segments && random.chance(30);
  made.parts.push_back(make_part(random, made, "g", -1, single, limits));
  std::vector<size_t> leaves;
  if (single) {
    leaves.push_back(0);
  } else {
    bool nested = random.chance(40);
    if (nested) made.parts.push_back(make_part(random, made, "inner", 0, false, limits));
    size_t count = 1 + random.below(3);
    for (size_t i = 0; i < count; ++i) {
      int parent = nested && random.chance(60) ? 1 : 0;
      leaves.push_back(made.parts.size());
      made.parts.push_back(make_part(random, made, std::string(1, static_cast<char>('a' + i)),
                                     parent, true, limits));
    }
    // An inner subgroup without children would be a leaf without pods.
    bool empty = nested && std::none_of(leaves.begin(), leaves.end(),
                                        [&](size_t leaf) { return made.parts[leaf].parent == 1; });
    if (empty) made.parts[leaves.front()].parent = 1;
    if (empty && made.parts[leaves.front()].required >= 0) {
      made.parts[leaves.front()].required =
          std::max(made.parts[leaves.front()].required, inherited(made, 1));
    }
    if (empty) made.parts[leaves.front()].preferred = -1, made.parts[leaves.front()].layers.clear();
  }
  int left = limits.pods;
  for (size_t leaf : leaves) {
    int most = std::min(left - static_cast<int>(leaves.size()) + 1, limits.segments ? 6 : 4);
    int pods = static_cast<int>(random.between(1, std::max(1, most)));
    left -= pods;
    made.parts[leaf].least = limits.grows ? static_cast<int>(random.between(1, pods)) : pods;
    for (int i = 0; i < pods; ++i) {
      StructureCase::Member member;
      member.part = leaf;
      member.position = i;
      member.name = made.parts[leaf].name + "-" + std::to_string(i);
      member.gpus = limits.sizes ? static_cast<int>(random.between(1, 3)) : 1;
      made.members.push_back(std::move(member));
    }
  }
  return made;
}

void build(const StructureCase& made, World& world) {
  world.topology("t", made.levels);
  for (const auto& node : made.nodes) {
    NodeArgs args;
    args.gpu = node.gpus;
    for (size_t i = 0; i < node.path.size(); ++i) args.labels[made.levels[i]] = node.path[i];
    world.node(node.name, args);
  }
  GangArgs gang;
  auto layers = [&](const Part& part) {
    std::vector<SegmentArgs> segments;
    for (const auto& layer : part.layers) {
      segments.push_back({layer.size, level_name(made, layer.level), ""});
    }
    return segments;
  };
  const Part& whole = made.parts.front();
  gang.topology = "t";
  gang.required = level_name(made, whole.required);
  gang.preferred = level_name(made, whole.preferred);
  gang.segments = layers(whole);
  gang.min_member = 0;
  for (const Part& part : made.parts) gang.min_member += part.least;
  for (size_t i = 1; i < made.parts.size(); ++i) {
    const Part& part = made.parts[i];
    SubgroupArgs& subgroup = gang.subgroups.emplace_back();
    subgroup.name = part.name;
    subgroup.parent = part.parent > 0 ? made.parts[static_cast<size_t>(part.parent)].name : "";
    subgroup.topology = "t";
    subgroup.required = level_name(made, part.required);
    subgroup.preferred = level_name(made, part.preferred);
    subgroup.segments = layers(part);
    subgroup.min_member = part.least;
  }
  world.gang("g", gang);
  for (const auto& member : made.members) {
    PodArgs pod{.gpu = member.gpus};
    if (member.part > 0) pod.subgroup = made.parts[member.part].name;
    world.pod(member.name, "g", pod);
  }
}

bool holds(const StructureCase& made, const Assignment& at) {
  std::vector<int> free;
  for (const auto& node : made.nodes) free.push_back(node.gpus);
  for (size_t a = 0; a < at.size(); ++a) {
    if (at[a] < 0) continue;
    int& left = free[static_cast<size_t>(at[a])];
    left -= made.members[a].gpus;
    if (left < 0) return false;
    for (size_t b = 0; b <= a; ++b) {
      if (at[b] >= 0 && !agree(made, at, a, b)) return false;
    }
  }
  return true;
}

bool can_add(const StructureCase& made, const Assignment& start, std::span<const int> more) {
  std::vector<size_t> open;
  std::vector<int> left(more.begin(), more.end());
  for (size_t i = 0; i < start.size(); ++i) {
    if (start[i] < 0 && left[made.members[i].part]-- > 0) open.push_back(i);
  }
  Assignment at = start;
  int nodes = static_cast<int>(made.nodes.size());
  for (size_t depth = 0; depth < open.size();) {
    int& node = at[open[depth]];
    do {
      ++node;
    } while (node < nodes && !holds(made, at));
    if (node < nodes) {
      ++depth;
      continue;
    }
    node = -1;
    if (depth == 0) return false;
    --depth;
  }
  return true;
}

int domains_used(const StructureCase& made, const Assignment& at) {
  int used = 0;
  for (size_t part = 0; part < made.parts.size(); ++part) {
    int level = counted_level(made, part);
    if (level < 0) continue;
    std::set<std::vector<std::string>> domains;
    for (size_t i = 0; i < at.size(); ++i) {
      if (at[i] < 0 || !within(made, made.members[i].part, part)) continue;
      domains.insert(domain(made, at[i], level));
    }
    used += static_cast<int>(domains.size());
  }
  return used;
}

std::optional<int> fewest_domains(const StructureCase& made) {
  std::optional<int> fewest;
  Assignment at(made.members.size(), -1);
  size_t depth = 0;
  // Depth first; a prefix's domains only grow in number.
  while (true) {
    bool advanced = false;
    while (++at[depth] < static_cast<int>(made.nodes.size())) {
      if (!last_holds(made, at, depth)) continue;
      if (fewest && domains_used(made, at) >= *fewest) continue;
      advanced = true;
      break;
    }
    if (!advanced) {
      at[depth] = -1;
      if (depth == 0) return fewest;
      --depth;
      continue;
    }
    if (depth + 1 < at.size()) {
      ++depth;
    } else {
      fewest = domains_used(made, at);
    }
  }
}

}  // namespace trellis::oracle
