#include "tests/oracle/truth.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace trellis::oracle {
namespace {

// All ways to take `count` of 0..size-1.
std::vector<std::vector<int>> subsets(int size, int count) {
  std::vector<std::vector<int>> all;
  for (uint32_t bits = 0; bits < (1U << size); ++bits) {
    if (std::popcount(bits) != count) continue;
    std::vector<int>& subset = all.emplace_back();
    for (int i = 0; i < size; ++i) {
      if ((bits >> i & 1U) != 0) subset.push_back(i);
    }
  }
  return all;
}

bool starts_with(const Path& path, const Path& prefix) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

}  // namespace

Truth::Truth(const Plan& plan) : node_plans_(plan.nodes), topologies_(plan.topologies) {
  std::set<std::string> names;
  for (const auto& node : plan.nodes) {
    for (const auto& [name, amount] : capacity(node.args)) names.insert(name);
  }
  for (const auto& pod : plan.pods) {
    for (const auto& [name, amount] : requests(pod.args)) names.insert(name);
  }
  resources_.assign(names.begin(), names.end());
  for (const auto& node : plan.nodes) {
    NodeUse& use = uses_.emplace_back();
    Amounts amounts = capacity(node.args);
    for (const std::string& name : resources_) use.now.push_back(amounts[name]);
    use.future = use.now;
    use.device_now.assign(static_cast<size_t>(node.args.gpu), 1000);
    use.device_future = use.device_now;
  }
  for (const auto& gang : plan.gangs) gangs_[gang.name] = gang.args;
  for (const auto& pod : plan.pods) {
    const PodArgs& args = pod.args;
    pods_[pod.name] = {pod.gang, kind_of(args), args.node, args.status, args.hold};
    if (args.node.empty()) continue;
    std::vector<int> devices;
    for (const std::string& group : args.gpu_groups) devices.push_back(std::stoi(group));
    bool leaving = args.status == PodStatus::Releasing;
    take(index_of(args.node), kinds_[kind_of(args)], true, !leaving, devices);
  }
}

size_t Truth::kind_of(const PodArgs& args) {
  auto [at, fresh] = kind_ids_.try_emplace(spec_key(args), kinds_.size());
  if (!fresh) return at->second;
  Kind& kind = kinds_.emplace_back();
  kind.args = args;
  Amounts amounts = oracle::requests(args);
  for (const std::string& name : resources_) kind.requests.push_back(amounts[name]);
  for (const auto& node : node_plans_) {
    kind.admitted.push_back(admits(node.name, node.args, args));
    kind.portion.push_back(oracle::portion(args, node.args));
  }
  return at->second;
}

size_t Truth::index_of(const std::string& node) const {
  size_t index = 0;
  while (node_plans_[index].name != node) ++index;
  return index;
}

void Truth::take(size_t node, const Kind& kind, bool now, bool future,
                 const std::vector<int>& devices) const {
  NodeUse& use = uses_[node];
  for (size_t i = 0; i < resources_.size(); ++i) {
    if (now) use.now[i] -= kind.requests[i];
    if (future) use.future[i] -= kind.requests[i];
  }
  for (int device : devices) {
    size_t at = static_cast<size_t>(device);
    if (now) use.device_now[at] -= kind.portion[node];
    if (future) use.device_future[at] -= kind.portion[node];
  }
  if (now) use.whole_now += kind.args.gpu;
  if (future) use.whole_future += kind.args.gpu;
  use.ports.insert(use.ports.end(), kind.args.ports.begin(), kind.args.ports.end());
}

bool Truth::fits(size_t node, const Kind& kind, FitMode mode,
                 const std::vector<int>& devices) const {
  if (!kind.admitted[node]) return false;
  const NodeUse& use = uses_[node];
  for (const PortArgs& port : kind.args.ports) {
    for (const PortArgs& used : use.ports) {
      if (clash(port, used)) return false;
    }
  }
  bool shared = shares(kind.args);
  if (shared && kind.portion[node] == 0) return false;
  auto enough = [&](const std::vector<int64_t>& free, std::vector<int64_t> left, int64_t whole) {
    for (size_t i = 0; i < resources_.size(); ++i) {
      if (kind.requests[i] > 0 && free[i] < kind.requests[i]) return false;
    }
    for (int device : devices) left[static_cast<size_t>(device)] -= kind.portion[node];
    if (std::any_of(left.begin(), left.end(), [](int64_t rest) { return rest < 0; })) return false;
    if (kind.args.gpu == 0 && !shared) return true;
    return std::count(left.begin(), left.end(), 1000) >= whole + kind.args.gpu;
  };
  return enough(use.future, use.device_future, use.whole_future) &&
         (mode == FitMode::Future || enough(use.now, use.device_now, use.whole_now));
}

bool Truth::put(const std::string& pod, const std::string& node, FitMode mode,
                const std::vector<int>& devices) {
  PodState& state = pods_.at(pod);
  const Kind& kind = kinds_[state.kind];
  size_t wanted = shares(kind.args) ? static_cast<size_t>(kind.args.share.devices) : 0;
  if (std::set<int>(devices.begin(), devices.end()).size() != wanted) return false;
  size_t index = index_of(node);
  if (!fits(index, kind, mode, devices)) return false;
  take(index, kind, mode == FitMode::Now, true, devices);
  state.node = node;
  state.status = mode == FitMode::Now ? PodStatus::Bound : PodStatus::Pipelined;
  return true;
}

// Equal pods stand together and go to nodes in order, so that nothing is tried twice.
bool Truth::possible(const std::vector<size_t>& nodes, const std::vector<size_t>& kinds,
                     size_t next, size_t first_node, FitMode mode) const {
  if (next == kinds.size()) return true;
  const Kind& kind = kinds_[kinds[next]];
  bool equal_follows = next + 1 < kinds.size() && kinds[next + 1] == kinds[next];
  for (size_t i = first_node; i < nodes.size(); ++i) {
    NodeUse& use = uses_[nodes[i]];
    std::vector<std::vector<int>> device_sets = {{}};
    if (shares(kind.args)) {
      device_sets = subsets(static_cast<int>(use.device_now.size()), kind.args.share.devices);
    }
    for (const std::vector<int>& devices : device_sets) {
      if (!fits(nodes[i], kind, mode, devices)) continue;
      NodeUse before = use;
      take(nodes[i], kind, mode == FitMode::Now, true, devices);
      bool rest = possible(nodes, kinds, next + 1, equal_follows ? i : 0, mode);
      use = before;
      if (rest) return true;
    }
  }
  return false;
}

bool Truth::holds(const std::vector<std::string>& nodes, const std::vector<std::string>& pods,
                  FitMode mode) const {
  std::vector<size_t> indices;
  for (const std::string& node : nodes) indices.push_back(index_of(node));
  std::vector<size_t> kinds;
  for (const std::string& pod : pods) kinds.push_back(pods_.at(pod).kind);
  std::sort(kinds.begin(), kinds.end());
  return possible(indices, kinds, 0, 0, mode);
}

std::vector<std::string> Truth::levels(const std::string& gang) const {
  for (const auto& topology : topologies_) {
    if (topology.name == gangs_.at(gang).topology) return topology.labels;
  }
  return {};
}

Path Truth::path(const std::string& node, const std::string& gang) const {
  return path_of(node_plans_[index_of(node)].args, levels(gang));
}

bool Truth::inside(const std::string& node, const std::string& gang, const Path& domain) const {
  return starts_with(path(node, gang), domain);
}

Path Truth::domain_of(const std::string& node, const std::string& gang, int level) const {
  Path full = path(node, gang);
  size_t depth = static_cast<size_t>(level + 1);
  if (full.size() > depth) full.resize(depth);
  return full;
}

int Truth::required(const std::string& gang) const {
  std::vector<std::string> all = levels(gang);
  auto found = std::find(all.begin(), all.end(), gangs_.at(gang).required);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

int Truth::preferred_or_deepest(const std::string& gang) const {
  const GangArgs& args = gangs_.at(gang);
  if (args.required.empty() && args.preferred.empty()) return -1;
  std::vector<std::string> all = levels(gang);
  auto found = std::find(all.begin(), all.end(), args.preferred);
  return found == all.end() ? static_cast<int>(all.size()) - 1
                            : static_cast<int>(found - all.begin());
}

int Truth::placed(const std::string& gang) const {
  return static_cast<int>(std::count_if(pods_.begin(), pods_.end(), [&](const auto& item) {
    return item.second.gang == gang && item.second.placed();
  }));
}

std::vector<std::string> Truth::waiting(const std::string& gang) const {
  std::vector<std::string> names;
  for (const auto& [name, pod] : pods_) {
    bool waits = pod.node.empty() && pod.hold == PodHold::None;
    if (pod.gang == gang && waits) names.push_back(name);
  }
  return names;
}

// A gang that partly runs is bound to the required domains where it runs, be there none.
std::vector<Path> Truth::domains_of(const std::string& gang, int level) const {
  std::set<Path> pinned;
  bool bound = false;
  for (const auto& [name, pod] : pods_) {
    if (pod.gang != gang || !pod.placed() || required(gang) < 0) continue;
    bound = true;
    Path domain = domain_of(pod.node, gang, required(gang));
    if (static_cast<int>(domain.size()) == required(gang) + 1) pinned.insert(domain);
  }
  std::set<Path> domains;
  for (const auto& node : node_plans_) {
    Path domain = domain_of(node.name, gang, level);
    if (static_cast<int>(domain.size()) != level + 1) continue;
    bool free = !bound || std::any_of(pinned.begin(), pinned.end(),
                                      [&](const Path& pin) { return starts_with(domain, pin); });
    if (free) domains.insert(domain);
  }
  return {domains.begin(), domains.end()};
}

std::vector<std::string> Truth::members(const std::string& gang, const Path& domain) const {
  std::vector<std::string> names;
  for (const auto& node : node_plans_) {
    if (inside(node.name, gang, domain)) names.push_back(node.name);
  }
  return names;
}

// Above a minimum that is only promised, pods are only promised places, too.
bool Truth::grows_later(const std::string& gang) const {
  int minimum = gangs_.at(gang).min_member;
  auto promised = std::count_if(pods_.begin(), pods_.end(), [&](const auto& item) {
    return item.second.gang == gang && item.second.status == PodStatus::Pipelined;
  });
  return placed(gang) >= minimum && placed(gang) - static_cast<int>(promised) < minimum;
}

std::optional<Truth::Answer> Truth::place_choice(const std::string& gang,
                                                 const std::vector<std::string>& pods,
                                                 const Path& within,
                                                 std::span<const FitMode> modes) const {
  for (int level = preferred_or_deepest(gang); level >= required(gang); --level) {
    for (FitMode mode : modes) {
      if (mode == FitMode::Now && grows_later(gang)) continue;
      Answer answer;
      answer.mode = mode;
      answer.level = level;
      for (const Path& domain : domains_of(gang, level)) {
        bool in = starts_with(domain, within);
        if (in && holds(members(gang, domain), pods, mode)) answer.domains.push_back(domain);
      }
      if (!answer.domains.empty()) return answer;
    }
  }
  return std::nullopt;
}

std::vector<std::vector<std::string>> Truth::rows_of(const std::string& gang) const {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& pod : waiting(gang)) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& other) {
      return pods_.at(other.front()).kind == pods_.at(pod).kind;
    });
    if (row == rows.end()) {
      rows.push_back({pod});
    } else {
      row->push_back(pod);
    }
  }
  return rows;
}

// The lowest domains that take all waiting pods now, each kind by itself, where a part of the pods
// completes the minimum.
std::vector<Path> Truth::homes(const std::string& gang, int need) const {
  bool chooses =
      placed(gang) < gangs_.at(gang).min_member && waiting(gang).size() > static_cast<size_t>(need);
  if (!chooses) return {};
  std::vector<std::vector<std::string>> rows = rows_of(gang);
  for (int level = preferred_or_deepest(gang); level >= required(gang); --level) {
    std::vector<Path> homes;
    for (const Path& domain : domains_of(gang, level)) {
      bool takes = std::ranges::all_of(rows, [&](const std::vector<std::string>& row) {
        return holds(members(gang, domain), row, FitMode::Now);
      });
      if (takes) homes.push_back(domain);
    }
    if (!homes.empty()) return homes;
  }
  return {};
}

std::vector<Truth::Answer> Truth::places(const std::string& gang, int need) const {
  std::vector<std::vector<std::string>> rows = rows_of(gang);
  // Choices as counts by row, the most of the first rows first.
  std::vector<std::vector<size_t>> choices = {{}};
  for (const auto& row : rows) {
    std::vector<std::vector<size_t>> longer;
    for (const auto& counts : choices) {
      for (size_t count = row.size() + 1; count-- > 0;) {
        longer.push_back(counts);
        longer.back().push_back(count);
      }
    }
    choices = std::move(longer);
  }
  for (const auto& counts : choices) {
    Answer chosen;
    std::vector<std::string> pods;
    for (size_t i = 0; i < rows.size(); ++i) {
      auto end = rows[i].begin() + static_cast<std::ptrdiff_t>(counts[i]);
      chosen.choice.emplace_back(rows[i].begin(), end);
      pods.insert(pods.end(), rows[i].begin(), end);
    }
    if (pods.size() != static_cast<size_t>(need)) continue;
    constexpr std::array now{FitMode::Now};
    constexpr std::array any{FitMode::Now, FitMode::Future};
    std::vector<Answer> answers;
    for (const Path& home : homes(gang, need)) {
      if (auto answer = place_choice(gang, pods, home, now)) answers.push_back(*std::move(answer));
    }
    if (answers.empty()) {
      if (auto answer = place_choice(gang, pods, {}, any)) answers.push_back(*std::move(answer));
    }
    for (Answer& answer : answers) answer.choice = chosen.choice;
    if (!answers.empty()) return answers;
  }
  return {};
}

int Truth::parts_used(const std::string& gang, const std::vector<std::string>& nodes,
                      int level) const {
  std::set<Path> parts;
  for (const std::string& node : nodes) {
    parts.insert(
        domain_of(node, gang, level));  // a shorter path: nodes that hang on a domain above
  }
  return static_cast<int>(parts.size());
}

int Truth::fewest_parts(const std::string& gang, const std::vector<std::string>& pods, FitMode mode,
                        const Path& domain, int level) const {
  std::map<Path, std::vector<std::string>> parts;
  for (const std::string& node : members(gang, domain)) {
    parts[domain_of(node, gang, level)].push_back(node);
  }
  for (int count = 1; count <= static_cast<int>(parts.size()); ++count) {
    for (const std::vector<int>& subset : subsets(static_cast<int>(parts.size()), count)) {
      std::vector<std::string> names;
      int index = 0;
      for (const auto& [path, nodes] : parts) {
        bool in = std::find(subset.begin(), subset.end(), index++) != subset.end();
        if (in) names.insert(names.end(), nodes.begin(), nodes.end());
      }
      if (holds(names, pods, mode)) return count;
    }
  }
  return 0;
}

}  // namespace trellis::oracle
