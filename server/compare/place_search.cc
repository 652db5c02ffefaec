#include "server/compare/place_search.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/topology.h"
#include "server/view/name_search.h"

namespace trellis {
namespace {

std::vector<std::string> node_names(const Objects& objects) {
  std::vector<std::string> names;
  for (const Node& node : objects.nodes) names.push_back(node.name);
  std::sort(names.begin(), names.end());
  return names;
}

// The levels of domains and of nodes, without those inside a node.
std::span<const TopologyLevel> levels_of(const Topology& topology, const StringTable& strings) {
  std::span<const TopologyLevel> levels = topology.levels;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (strings.view(levels[i].label) == kHostname) return levels.first(i + 1);
  }
  return levels;
}

// The values of the topology's levels on a node, coarsest first; empty: it lacks a label.
std::vector<std::string_view> path_of(const Node& node, const Topology& topology,
                                      const StringTable& strings) {
  std::vector<std::string_view> path;
  for (const TopologyLevel& level : levels_of(topology, strings)) {
    StrId value = find_label(node.labels, level.label);
    if (value.valid()) {
      path.push_back(strings.view(value));
    } else if (strings.view(level.label) == kHostname) {
      path.push_back(node.name);
    } else {
      return {};
    }
  }
  return path;
}

// `hall`, `hall/b1`, `hall/b1/r1`, ...; sorted.
std::vector<std::string> domain_names(const Objects& objects, const StringTable& strings) {
  std::set<std::string> names;
  for (const Topology& topology : objects.topologies) {
    names.insert(topology.name);
    for (const Node& node : objects.nodes) {
      std::string name = topology.name;
      for (std::string_view value : path_of(node, topology, strings)) {
        name.append("/").append(value);
        names.insert(name);
      }
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> parts_of_path(std::string_view word) {
  std::vector<std::string> parts;
  while (true) {
    size_t slash = word.find('/');
    parts.emplace_back(word.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    word.remove_prefix(slash + 1);
  }
}

const Topology* find_topology(const Objects& objects, std::string_view name) {
  auto found = std::ranges::find(objects.topologies, name, &Topology::name);
  return found == objects.topologies.end() ? nullptr : &*found;
}

// `parts`: the topology, then values.
bool is_in(const Node& node, const Topology& topology, const std::vector<std::string>& parts,
           const StringTable& strings) {
  std::vector<std::string_view> path = path_of(node, topology, strings);
  return path.size() + 1 >= parts.size() && !path.empty() &&
         std::equal(parts.begin() + 1, parts.end(), path.begin());
}

void set_label(Labels& labels, StrId key, StrId value) {
  auto at = std::lower_bound(labels.begin(), labels.end(), key,
                             [](const Label& label, StrId k) { return label.key < k; });
  if (at == labels.end() || at->key != key) at = labels.insert(at, Label{key, value});
  at->value = value;
}

// Moves the node into the domain.
std::string put_into(Node& node, const std::string& domain, const Objects& objects,
                     StringTable& strings) {
  std::vector<std::string> parts = parts_of_path(domain);
  const Topology* topology = find_topology(objects, parts.front());
  if (topology == nullptr) {
    std::vector<std::string> names;
    for (const Topology& one : objects.topologies) names.push_back(one.name);
    return no_such("topology", parts.front(), names);
  }
  std::span<const TopologyLevel> levels = levels_of(*topology, strings);
  bool by_node = !levels.empty() && strings.view(levels.back().label) == kHostname;
  size_t deepest = levels.size() - (by_node ? 1 : 0);
  if (parts.size() > deepest + 1) {
    return "topology " + topology->name + " has " + std::to_string(deepest) +
           " levels of domains: " + domain + " is below them";
  }
  bool there = is_in(node, *topology, parts, strings);
  for (size_t i = 0; i < deepest; ++i) {
    StrId label = levels[i].label;
    bool above = i + 1 < parts.size();
    if (there && !above) continue;
    set_label(node.labels, label, strings.intern(above ? parts[i + 1] : "new"));
  }
  return "";
}

// A free zone of a new node is as large as the zone.
void empty_zones(Node& node) {
  node.left.clear();
  if (!node.numa) return;
  NumaTopology numa = *node.numa;
  numa.available = numa.allocatable;
  node.numa = SharedValue(std::move(numa));
}

Node new_node(const Node& like, const StringTable& strings) {
  Node node = like;
  node.ready = true;
  node.unschedulable = false;
  std::erase_if(node.taints, [&](const Taint& taint) {
    return strings.view(taint.key).starts_with("node.kubernetes.io/");
  });
  empty_zones(node);
  return node;
}

// The pods of DaemonSets on a node, with their gangs.
class DaemonPods {
 public:
  DaemonPods(const Objects& objects, const StringTable& strings, std::string_view node) {
    for (const PodObject& object : objects.pods) {
      const Pod& pod = object.pod;
      bool daemon = pod.daemon_set.valid() && pod.daemon_set != StringTable::kEmpty;
      if (daemon && pod.node == node && !has_finished(pod.status)) pods_.push_back(object);
    }
    for (const PodObject& object : pods_) {
      std::string_view key = strings.view(object.pod.gang);
      for (const Gang& gang : objects.gangs) {
        if (is_alone(object.pod, strings) && full_key(strings, gang) == key) {
          gangs_.push_back(gang);
        }
      }
    }
  }

  void run_on(const std::string& node, Objects& objects, StringTable& strings) const {
    for (PodObject object : pods_) {
      Pod& pod = object.pod;
      bool alone = is_alone(pod, strings);
      pod.name = std::string(pod.name.view()) + "-" + node;
      pod.uid.clear();
      pod.node = node;
      if (alone) {
        pod.gang = strings.intern(std::string(strings.view(pod.gang)) + "-" + node);
      }
      objects.pods.push_back(std::move(object));
    }
    for (Gang gang : gangs_) {
      gang.name = gang.name + ("-" + node);
      objects.gangs.push_back(std::move(gang));
    }
  }

 private:
  // Whether the pod is a gang of its own, which has its name.
  static bool is_alone(const Pod& pod, const StringTable& strings) {
    return strings.view(pod.gang).ends_with("/" + std::string(pod.name.view()));
  }
  static std::string full_key(const StringTable& strings, const Gang& gang) {
    return std::string(strings.view(gang.name_space)) + "/" + gang.name;
  }

  std::vector<PodObject> pods_;
  std::vector<Gang> gangs_;
};

}  // namespace

std::set<std::string> find_place(const Objects& objects, const StringTable& strings,
                                 const std::string& word, std::string& error) {
  bool domain = word.find('/') != std::string::npos;
  FoundName found = domain ? find_name("domain", word, domain_names(objects, strings))
                           : find_name("node", word, node_names(objects));
  if (!domain && !found.error.empty()) {
    FoundName other = find_name("domain", word, domain_names(objects, strings));
    if (other.error.empty()) {
      domain = true;
      found = std::move(other);
    }
  }
  std::vector<std::string> parts = parts_of_path(found.error.empty() ? found.name : word);
  const Topology* topology = domain ? find_topology(objects, parts.front()) : nullptr;
  if (!found.error.empty()) {
    error = std::move(found.error);
    if (domain && topology == nullptr) {
      std::vector<std::string> names;
      for (const Topology& one : objects.topologies) names.push_back(one.name);
      error = no_such("topology", parts.front(), names);
    }
    return {};
  }
  if (!domain) return {found.name};
  std::set<std::string> nodes;
  for (const Node& node : objects.nodes) {
    if (is_in(node, *topology, parts, strings)) nodes.insert(node.name);
  }
  return nodes;
}

std::string add_nodes(const AddedNodes& more, Objects& objects, StringTable& strings) {
  std::vector<std::string> names = node_names(objects);
  FoundName found = find_name("node", more.like, names);
  if (!found.error.empty()) return std::move(found.error);
  Node node = new_node(*std::ranges::find(objects.nodes, found.name, &Node::name), strings);
  if (!more.domain.empty()) {
    std::string error = put_into(node, more.domain, objects, strings);
    if (!error.empty()) return error;
  }
  DaemonPods daemons(objects, strings, found.name);
  StrId hostname = strings.intern(kHostname);
  int64_t number = 0;
  for (int64_t i = 0; i < more.count; ++i) {
    Node next = node;
    do {
      next.name = found.name + "-new-" + std::to_string(++number);
    } while (std::binary_search(names.begin(), names.end(), next.name));
    if (find_label(next.labels, hostname).valid()) {
      set_label(next.labels, hostname, strings.intern(next.name));
    }
    daemons.run_on(next.name, objects, strings);
    objects.nodes.push_back(std::move(next));
  }
  return "";
}

}  // namespace trellis
